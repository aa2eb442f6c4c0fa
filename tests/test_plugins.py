"""Sources and recipes of installed packages: the example of the docs, and packages that are wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import asof
from asof import plugins, recipes
from asof.cli import commands
from asof.cli.main import cli, run
from asof.errors import BadConfig, SourceError, UsageError
from asof.plugins import COMMANDS, READERS, RECIPES, SOURCES

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "docs" / "examples" / "asof-example"

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package on the path as an installer does: its module (or a folder of them), and its metadata."""
    loaded = set(sys.modules)

    def put(package: str, entries: dict[str, dict[str, str]], module: Path | str = "") -> None:
        site = tmp_path / "site" / package
        about = site / f"{package.replace('-', '_')}-1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in those.items())
            for group, those in entries.items()
        ]
        (about / "entry_points.txt").write_text("\n".join(lines))
        if isinstance(module, Path):
            for each in module.glob("*.py"):
                shutil.copy(each, site)
        else:
            (site / f"{package.replace('-', '_')}.py").write_text(module)
        monkeypatch.syspath_prepend(str(site))

    yield put
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What `asof` prints, given these arguments; commands of packages are looked for again."""
    monkeypatch.setattr(commands, "entries", commands.entries.__wrapped__)
    monkeypatch.setattr(commands, "by_group", commands.by_group.__wrapped__)

    def printed(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["asof", *arguments])
        run(cli)
        return "".join(capsys.readouterr())

    return printed


@pytest.fixture
def example(install: Install) -> None:
    declared = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    install(declared["name"], declared["entry-points"], EXAMPLE)


def test_what_pyproject_declares_is_the_table() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    assert declared == plugins.BUILT_IN
    for group in (COMMANDS, SOURCES, RECIPES, READERS):
        assert all(plugins.load(group, name) is not None for name in plugins.BUILT_IN[group])


def test_the_example_is_short() -> None:
    lines = (EXAMPLE / "asof_example.py").read_text().splitlines()
    assert sum(bool(line) for line in lines) <= 30


@pytest.mark.usefixtures("example")
def test_a_source_and_a_recipe_of_a_package(memory_folder: Path) -> None:
    rows = "id,text,note,date\na,The ferry sails.,x,2021-03-01\nb,The ferry is sold.,y,2022-05-01\n"
    (memory_folder / "log.csv").write_text(rows)
    with asof.open(memory_folder) as corpus:
        assert corpus.add("csv:log.csv").added == 2
        found = corpus.at("2023").search("ferry", recipe="newest")
        assert [hit.document for hit in found] == ["b", "a"]
        assert [hit.document for hit in corpus.at("2021").search("ferry", recipe="newest")] == ["a"]
        edited = rows.replace("The ferry sails.", "The ferry sinks.").replace("2021-03", "2023-03")
        (memory_folder / "log.csv").write_text(edited)
        assert corpus.add("csv:log.csv").changed == 1
        assert [hit.text for hit in corpus.search("ferry", recipe="newest")] == [
            "The ferry sinks.", "The ferry is sold.",
        ]  # fmt: skip
        (memory_folder / "log.csv").write_text(rows.replace("b,", "c,"))
        report = corpus.add("csv:log.csv")
        assert (report.added, report.ended) == (1, 1)
        with pytest.raises(UsageError, match=r"since: not for csv:\.\.\.; accepted: column"):
            corpus.add("csv:log.csv", since="2021")
        assert corpus.add("CSV:log.csv", column="note").changed == 2
        with pytest.raises(SourceError, match="there is no file"):
            corpus.add("csv:lost.csv")


@pytest.mark.usefixtures("example")
def test_a_folder_may_choose_what_is_installed(memory_folder: Path) -> None:
    (memory_folder / "asof.toml").write_text('[search]\nrecipe = "newest"\n[csv]\ncolumn = "text"\n')
    with pytest.warns(UserWarning, match=r"\[csv\] column text of .* not trusted"):
        corpus = asof.open(memory_folder)
    with corpus:
        assert corpus.config.recipe == "newest"
        assert corpus.config.sources == {}  # what it says of a source counts where the user trusts it
    assert "newest" in recipes.all_names()
    assert "asof_example" not in sys.modules  # no configuration has loaded it


def test_a_scheme_that_is_not_known(memory_folder: Path) -> None:
    with asof.open(memory_folder) as corpus:
        with pytest.raises(SourceError) as refused:
            corpus.add("qqqq:https://example.org")
        assert str(refused.value) == (
            f"no source scheme 'qqqq'; accepted: {', '.join(plugins.names(SOURCES))}; another one comes"
            " with a package that offers it (pip install), and a file of that name is ./qqqq:https://example.org"
        )
        with pytest.raises(SourceError, match="did you mean arxiv"):
            corpus.add("arxif:cs.IR")
        (memory_folder / "qqqq:x").mkdir()
        assert corpus.add(memory_folder / "qqqq:x").added == 0
    (memory_folder / "asof.toml").write_text("[fed]\na = 1\n")
    with pytest.raises(BadConfig, match=r"no table \[fed\]"):
        asof.open(memory_folder)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("raise RuntimeError('no\\nflour')", "RuntimeError: no flour; upgrade or uninstall it"),
        ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("", "AttributeError"),
    ],
)
def test_a_package_that_cannot_be_loaded(install: Install, module: str, said: str) -> None:
    install("asof-mill", {SOURCES: {"mill": "asof_mill:SCHEME"}, RECIPES: {"grind": "asof_mill:R"}}, module)
    for group, name in ((SOURCES, "mill"), (RECIPES, "grind")):
        with pytest.raises(UsageError) as refused:
            plugins.load(group, name)
        assert str(refused.value).startswith(f"the package asof-mill offers {name!r} (asof_mill:")
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)


def test_what_is_no_scheme_and_no_recipe(install: Install, memory_folder: Path) -> None:
    module = "from asof.extensions.systems.recipes import TWE\nNUMBER = 7\n"
    entries = {
        SOURCES: {"mill": "asof_mill:NUMBER"},
        RECIPES: {"n": "asof_mill:NUMBER", "t": "asof_mill:TWE"},
    }
    install("asof-mill", entries, module)
    with (
        asof.open(memory_folder) as corpus,
        pytest.raises(UsageError, match="mill: is a int; a SourceScheme"),
    ):
        corpus.add("mill:x")
    for name, what in (("n", "is int"), ("t", "is a recipe named 'twe'")):
        with pytest.raises(UsageError, match=f"the entry point '{name}' {what}; a Recipe of that name"):
            recipes.named(name)


def test_a_reader_of_a_package(install: Install, memory_folder: Path) -> None:
    module = (
        "from asof.sources.readers import ParsedFile\n"
        "def read(raw, stem, limits): return ParsedFile(raw.decode('ascii')[::-1], stem)\n"
    )
    (memory_folder / "a.rev").write_text(".yrref A")
    with asof.open(memory_folder) as corpus:
        assert [each.message for each in corpus.add(memory_folder).problems] == ["1 .rev file is not read"]
        install("asof-mirror", {READERS: {".rev": "asof_mirror:read", ".md": "asof_mirror:read"}}, module)
        (memory_folder / "b.md").write_text("A crane")
        assert corpus.add(memory_folder).added == 2
        assert corpus.at().text("a.rev") == "A ferry."
        assert corpus.at().text("b.md") == "A crane"  # no package takes a suffix of asof


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("raise IndexError('list index out of range')", "IndexError: list index out of range"),
        ("return None", "TypeError: it returned NoneType, a ParsedFile is expected"),
        ("return ParsedFile(raw, stem)", "UsageError: text is b'A mole' (bytes); accepted: a text; decode"),
        ("return ParsedFile('a', stem, (Heading(2, 1, 'h'),))", "ValueError: headings must be in order"),
        ("return ParsedFile('a', stem, front={1: 2})", "UsageError: a key of meta is 1 (int); accepted"),
    ],
)
def test_a_reader_that_fails_stops_no_other_file(
    install: Install, memory_folder: Path, fault: str, said: str
) -> None:
    module = (
        "from asof.documents import Heading\n"
        "from asof.sources.readers import ParsedFile\n"
        f"def read(raw, stem, limits): {fault}\n"
    )
    install("asof-mirror", {READERS: {".rev": "asof_mirror:read"}}, module)
    (memory_folder / "a.rev").write_text("A mole")
    (memory_folder / "b.md").write_text("A crane")
    with asof.open(memory_folder) as corpus:
        report = corpus.add(memory_folder)
        (problem,) = report.problems
        assert str(problem).startswith(f"a.rev: the reader of .rev files failed: {said}")
        assert problem.lost
        assert corpus.at().text("b.md") == "A crane"


@pytest.mark.usefixtures("example")
def test_the_command_of_the_example(out: Callable[..., str], memory_folder: Path) -> None:
    where = ("--index", str(memory_folder))
    with asof.open(memory_folder) as corpus:
        corpus.add([asof.Document(year, "A ferry.", title="F", published=year) for year in ("2021", "2022")])
    assert "\n  newest  " in out("--help")
    assert out("newest", "ferry", *where) == "2022  F\n2021  F\n"
    found = json.loads(out("newest", "a", "ferry", "--as-of", "2021", "--json", *where))["hits"]
    assert [hit["document"] for hit in found] == ["2021"]


def test_a_command_of_a_package(install: Install, out: Callable[..., str]) -> None:
    module = (
        "import click\n"
        "from asof.cli.commands import CommandEntry\n"
        "COMMANDS = {\n"
        "    'mill': CommandEntry('asof_mill:mill', 'Mill', 'Grind.', 'asof mill 3'),\n"
        "    'search': CommandEntry('asof_mill:mill', 'Mill', 'Not this.', 'asof search x'),\n"
        "}\n"
        "@click.command()\n"
        "@click.argument('n', type=int)\n"
        "def mill(n):\n"
        "    click.echo('flour ' * n)\n"
    )
    install("asof-mill", {COMMANDS: {"mill": "asof_mill:COMMANDS"}}, module)
    assert "\nMill:\n  mill  Grind.\n" in out("--help")
    assert out("mill", "2") == "flour flour \n"
    assert "did you mean mill?" in out("mil")
    assert "Find the best passages" in out("search", "--help")  # no package takes a name of asof


def test_no_package_takes_a_name_of_asof(install: Install) -> None:
    install("asof-mill", {SOURCES: {"arxiv": "asof_mill:X"}, RECIPES: {"asof": "asof_mill:X"}}, "X = 1")
    assert plugins.names(SOURCES).count("arxiv") == 1
    assert plugins.load(SOURCES, "arxiv") is plugins.named(plugins.BUILT_IN[SOURCES]["arxiv"])
    assert recipes.named("asof").name == "asof"


def test_two_packages_of_one_name(install: Install) -> None:
    for package in ("asof-mill", "asof-kiln"):
        install(package, {SOURCES: {"mill": f"{package.replace('-', '_')}:X"}}, "X = 1")
    with pytest.raises(
        UsageError, match="'mill' is offered by asof-kiln and asof-mill: uninstall all but one"
    ):
        plugins.load(SOURCES, "mill")


def test_nothing_in_the_working_directory_is_a_package(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("asof-mill", {SOURCES: {"mill": "asof_mill:X"}}, "X = 1")
    assert "mill" in plugins.names(SOURCES)
    monkeypatch.chdir(tmp_path / "site" / "asof-mill")
    assert "mill" not in plugins.names(SOURCES)


def test_names_of_asof_need_no_look_at_the_packages() -> None:
    program = (
        "import sys, importlib.metadata as m\n"
        "m.distributions = lambda **_: sys.exit('looked')\n"
        "from asof import recipes\nfrom asof.sources.source import is_target\n"
        "recipes.named('papers'); assert is_target('arxiv:cs.IR') and not is_target('notes')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
