"""`asof tune --half-lives`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from asof.cli.main import DONE, NOTHING, echo_err, open_corpus, print_json
from asof.cli.progress import step_progress
from asof.cli.tables import Cells, console, show_columns
from asof.cli.terminal import plain
from asof.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from asof.evaluate.options import Progress
    from asof.learn.box import Box
    from asof.rank.recipe import Recipe
    from asof.tuning.config_edit import ConfigEdit
    from asof.tuning.half_lives import LearnedHalfLives
    from asof.tuning.judged_half_lives import JudgedHalfLives
    from asof.tuning.survival import HalfLife
    from asof.tuning.tuning_questions import TuningQuestions

    Material = Callable[[Box, Progress | None], AbstractContextManager[TuningQuestions]]
    Write = Callable[[Recipe, dict[str, str]], ConfigEdit | None]


def tune_half_lives(
    recipe: Recipe, index: Path | None, material: Material | None, write: Write | None, *,
    folds: int, seed: int, anyway: bool, as_json: bool,
) -> int:  # fmt: skip
    """Learn half-lives, judge them on `material` (None: not at all), and show, write or refuse them."""
    from asof.learn.box import Box
    from asof.rank.recipe import ranges
    from asof.schema import plain as written_as
    from asof.tuning.half_lives import learned_as_of, with_learned

    if not recipe.takes_half_lives:
        raise UsageError(
            f"recipe {recipe.name} goes by no age, so it takes no half-lives: choose another --recipe"
        )
    judgement: JudgedHalfLives | None = None
    with ExitStack() as stack:
        if material is None:
            found = learned_as_of(stack.enter_context(open_corpus(index)), None, None)
        else:
            from asof.tuning.judged_half_lives import corpus_of, judged

            box = Box.of(recipe, [next(iter(ranges(recipe)))])  # nothing of it is tuned
            progress = stack.enter_context(step_progress())
            questions = stack.enter_context(material(box, progress))
            judgement = judged(questions, folds, seed, progress)
            found = learned_as_of(corpus_of(questions), None, None)
    tuned = with_learned(recipe, found, 1.0 if judgement is None else judgement.scale)
    good = bool(found.kinds) and judgement is not None and not judgement.worse
    change = None
    if write is not None and found.kinds and (good or anyway):
        origin = {
            "on": "the corpus" if judgement is None else judgement.material, "metric": "half-lives",
            "sentence": "not judged" if judgement is None else judgement.sentence,
        }  # fmt: skip
        change = write(tuned, origin)
    values = {key: written_as(dict(tuned.fields())[key]) or {} for key in recipe.takes_half_lives}
    if as_json:
        from asof.serialize.half_lives import half_lives_json

        print_json(half_lives_json(recipe.name, found, values, judgement, change))
    else:
        _show(recipe, found, values, judgement)
        if change is not None:
            from asof.cli.tuning_report import show_change

            show_change(change, "wrote")
    if write is not None and change is None:
        echo_err(f"nothing was written: {_why_not(found, judgement, good=good or anyway)}")
        return NOTHING
    return DONE if change is not None or good or (judgement is None and found.kinds) else NOTHING


def _why_not(found: LearnedHalfLives, judgement: JudgedHalfLives | None, *, good: bool) -> str:
    if not found.kinds:
        return "no kind differs from the rest"
    if good:
        return "the recipe has these half-lives already"
    if judgement is None:
        return "they were not judged; give DATASET or --feedback, or --anyway"
    return "held-out questions are worse with them; --anyway writes them all the same"


def _show(
    recipe: Recipe, found: LearnedHalfLives, values: dict[str, dict[str, float]],
    judgement: JudgedHalfLives | None,
) -> None:  # fmt: skip
    to = console()
    to.print(Text(plain(
        f"{found.passages:,} dated passages, of which {found.ends:,} were outdated by a later one"
    )), soft_wrap=True)  # fmt: skip
    if not found.kinds:
        to.print(Text("No source, tag or folder is outdated faster or slower than the rest."), soft_wrap=True)
        return
    named = [(each.name, each.half_life) for each in found.kinds]
    if found.rest is not None:
        named.append(("all others", found.rest))
    columns: Cells = [
        ("half-life\nin days", [Text(_days(each.days)) for _, each in named]),
        ("95%", [Text(f"{_days(each.low)} to {_days(each.high)}", "dim") for _, each in named]),
        ("passages", [Text(f"{each.passages:,}") for _, each in named]),
        ("outdated", [Text(f"{each.ends:,}") for _, each in named]),
        ("still current\nat that age", [Text(_share(each), "dim") for _, each in named]),
    ]
    show_columns(to, "kinds, the first that fits counts", [plain(name) for name, _ in named], columns)
    if judgement is not None:
        for note in judgement.notes:
            to.print(Text(plain(f"  {note}"), "dim"), soft_wrap=True)
        scales = ", ".join(f"{each:g}" for each in judgement.folds)
        to.print(Text(plain(
            f"times {judgement.scale:g} (folds: {scales}), learned as of {judgement.moments} moments"
        ), "dim"), soft_wrap=True)  # fmt: skip
        style = "bold" if judgement.worse else "bold green"
        to.print(Text(plain(judgement.sentence), style), soft_wrap=True)
    for field, pairs in values.items():
        table = ", ".join(f'"{name}" = {days:g}' for name, days in pairs.items())
        to.print(Text(plain(f"{recipe.name}: {field} = {{{table}}}")), soft_wrap=True)
    if judgement is None:
        to.print(Text("not judged: give DATASET or --feedback to hear what they are worth", "dim"))


def _days(days: float) -> str:
    return f"{days:,.0f}" if days >= 10 else f"{days:.1f}"


def _share(of: HalfLife) -> str:
    return "-" if of.current is None else f"{of.current:.0%}"
