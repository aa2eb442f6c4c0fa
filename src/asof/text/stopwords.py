"""Function words, by language: the index holds them, questions drop them (see `query.py`).

Words of time (now, current, latest) are no function words here: they say what is wanted.
"""

from __future__ import annotations

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """
            a about above after again all am among an and any are aren't as at be because been before being
            below between both but by can can't cannot could couldn't did didn't do does doesn't doing don't
            down during each every for from further had hadn't has hasn't have haven't having he he'd he'll
            her here hers herself him himself his how however i i'd i'll i'm i've if in into is isn't it its
            itself let me more most must my myself neither no nor not of on only or other ought our ours
            ourselves out over own same shall she she'd she'll should shouldn't since so some such than that
            the their theirs them themselves then there these they they'd they'll they're they've this those
            through to too under until up upon very was wasn't we we'd we'll we're we've were weren't what
            when where whether which while who whom whose why will with won't would wouldn't you you'd
            you'll you're you've your yours yourself yourselves
        """,
        "de": """
            aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
            auch auf aus bei beim bin bis bist da dabei dadurch dafür dagegen daher damit danach daran
            darauf daraus darin darum darüber das dass davon dazu dein deine deinem deinen deiner dem den
            denen denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir doch dort du
            durch ein eine einem einen einer eines er es etwas euch euer eure für gegen gibt hab habe haben
            hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem
            ins ist ja jede jedem jeden jeder jedes jene jenem jenen jener jenes kann kein keine keinem
            keinen keiner können könnte man manche mein meine meinem meinen meiner mich mir mit muss müssen
            nach nicht nichts noch nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind
            so solche solchem solchen solcher soll sollen sollte sondern sowie um und uns unser unsere
            unserem unseren unter über viel vom von vor war waren warum was während weil welche welchem
            welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso will wir
            wird wirst wo wohin wollen wollte worden wurde wurden würde würden zu zum zur zwar zwischen
        """,
        "fr": """
            afin ai ainsi alors après as au aucun aucune auquel aussi autre autres aux auxquelles auxquels
            avaient avait avant avec avez avoir avons ayant à c c'est c'était car ce ceci cela celle celles
            celui cependant ces cet cette ceux chaque chez comme comment contre d d'un d'une dans de depuis
            des desquels donc dont du duquel durant elle elles en encore entre es est et eu eux étaient
            était étant être fait furent fut ici il ils j j'ai je jusque l la laquelle le lequel les
            lesquelles lesquels leur leurs lors lorsque lui m ma mais malgré me mes même mêmes moi moins mon
            n n'a n'est ne ni nos notre nous on ont ou où par parce parmi pas pendant peu peut plus
            plusieurs pour pourquoi puis puisque qu qu'elle qu'il qu'ils qu'on qu'un qu'une quand que quel
            quelle quelles quelque quelques quels qui quoi s s'est sa sans se selon sera seront ses si soi
            soit son sont sous suis sur t ta tandis te tel telle telles tels tes toi ton tous tout toute
            toutes très tu un une vers voici voilà vos votre vous y
        """,
        "es": """
            a al algo alguna algunas alguno algunos algún ante antes aquel aquella aquellas aquello aquellos
            aquí así aunque aún bajo bien cada casi como con contra cómo cual cuales cualquier cuando cuanto
            cuál cuáles cuándo cuánto cuya cuyas cuyo cuyos de del desde donde dónde durante e el ella ellas
            ellos en entre era eran es esa esas ese eso esos esta estaba estado estar estas está están este
            esto estos él fue fueron ha haber había habían han hasta hay la las le les lo los más me
            mediante mi mientras mis mismo mí mucho muy nada ni no nos nosotros nuestra nuestras nuestro
            nuestros o os otra otras otro otros para pero poco por porque pues que qué quien quienes quién
            quiénes se sea según ser será si sido sin sino sí so sobre solo son soy su sus tal también
            tampoco tan tanto te tenía ti tiene tienen toda todas todo todos tras tu tus tú u un una unas
            uno unos usted ustedes vosotros y yo
        """,
        "it": """
            a abbiamo ad agli ai al alcuna alcune alcuni alcuno alla alle allo allora altra altre altri
            altro anche avere aveva avevano c'è che chi ci cioè ciò co coi col come con contro cosa così cui
            d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dopo
            dove durante e ed egli era erano essa esse essere essi esso è fa fino fra fu furono gli ha hai
            hanno ho i il in invece io l la le lei li lo loro lui ma me mentre mi mia mie miei mio molti
            molto ne negli nei nel nell nella nelle nello né noi non nostra nostre nostri nostro o ogni
            oltre oppure per perché perciò però più poco poi presso proprio può qual qualche quale quali
            quando quanta quante quanti quanto quasi quella quelle quelli quello questa queste questi questo
            qui quindi saranno sarà se secondo sei senza si sia siamo siano siete sono sopra sotto sta stata
            state stati stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi tale tali tra tu tua
            tue tuo tuoi tutta tutte tutti tutto un un'altra una uno vi voi vostra vostre vostri vostro
        """,
        "nl": """
            aan achter al alle alles als andere anders ben bent bij binnen boven buiten daar daarom dan dat
            de deze die dit doch doen door dus een eens elk elke en enkele er ervan even geen geweest haar
            had hadden heb hebben hebt heeft hem hen het hier hij hoe hoewel hun iemand iets ik in indien is
            ja je jij jou jouw jullie kan kon kunnen maar me meer men met mij mijn moet moeten na naar naast
            niet niets noch nog of om omdat ondanks onder ons onze ook op over per sinds sommige te tegen
            ten tenzij ter terwijl tijdens toch toen tot tussen u uit uw van vanaf vanuit vanwege veel via
            volgens voor waar waarom waarvan wanneer want waren was wat we welk welke werd werden wie wij
            wil worden wordt zal ze zelf zich zij zijn zo zoals zonder zou zouden zulke
        """,
        "pt": """
            a acerca ainda além algo alguém algum alguma algumas alguns ante antes ao aos apenas após aquela
            aquelas aquele aqueles aquilo as assim até à às cada com como contra cuja cujas cujo cujos da
            daquela daquele das de dela delas dele deles desde dessa desse desta deste do dos durante e ela
            elas ele eles em embora enquanto entre era eram essa essas esse esses esta estar estas estava
            está estão este estes eu é foi for foram fosse há isso isto la lhe lhes lo mais mas me mediante
            menos mesma mesmo meu meus mim minha minhas muita muito muitos na nas não nem nenhum nenhuma
            nessa nesse nesta neste no nos nossa nossas nosso nossos nós num numa o onde os ou outra outras
            outro outros para pela pelas pelo pelos perante pode pois por porém porquanto porque porquê
            portanto quais qual qualquer quando quanto que quem quê são se seja sem sendo ser será seu seus
            si sido sob sobre sua suas tal também tampouco tanto te tem tendo ter teu teus teve têm tinha
            toda todas todo todos tu tua tuas tudo um uma umas uns você vocês vos
        """,
    }.items()
}
"""By ISO 639-1 code; the words are in the form that `tokenize` gives them."""
