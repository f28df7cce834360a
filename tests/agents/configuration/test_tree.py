"""The configuration of a tree, as an operator writes it and an agent reads it."""

from pathlib import Path
from typing import Literal

import pytest
from attrs import field, frozen, validators
from hypothesis import given
from hypothesis import strategies as st

from agents.configuration import Configuration, ConfigurationError, load
from agents.configuration.checks import is_address
from agents.configuration.document import DEPTH_LIMIT, SIZE_LIMIT
from agents.scheduler.config import SchedulerConfig


@frozen
class Pool:
    size: int = field(default=2, validator=validators.ge(1))


@frozen
class Section:
    delay: float = field(default=0.5, validator=validators.ge(0))
    name: str = "one"
    flag: bool = False
    kind: Literal["fast", "safe"] = "safe"
    listen: str | None = field(default=None, validator=is_address)
    words: list[str] = field(factory=list)
    limits: dict[str, int] = field(factory=dict)
    folder: Path = Path("here")
    pool: Pool = field(factory=Pool)
    pools: dict[str, Pool] = field(factory=dict)


def write(tmp_path: Path, text: str) -> Path:
    """Write a configuration file; return its path."""
    path = tmp_path / "tree.yaml"
    path.write_text(text, "utf-8")
    return path


def refusal(tmp_path: Path, text: str) -> str:
    """Return what is said of a scheduler section of this text, without the folder's name."""
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load(path).section("scheduler", Section)
    return str(caught.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize("text", ["", "{}", "# nothing\n", "~", "scheduler:\n"])
def test_an_empty_file_is_all_defaults(tmp_path: Path, text: str) -> None:
    """Every value has a default, so a file may hold nothing."""
    configuration = load(write(tmp_path, text))
    assert configuration.section("scheduler", Section) == Section()
    assert configuration.base_port == 7100
    assert configuration.directory == Path("var").absolute()


def test_every_type_is_read(tmp_path: Path) -> None:
    """Each annotation that a section may have takes its YAML value."""
    path = write(
        tmp_path,
        """
directory: /srv/archive
base_port: 9000
scheduler:
  delay: 2
  name: "12"
  flag: true
  kind: fast
  listen: "[::1]:80"
  words: [one, two]
  limits: {one: 1}
  folder: /tmp/there
  pool: {size: 3}
  pools: {main: {size: 4}}
""",
    )
    configuration = load(path)
    assert configuration.directory == Path("/srv/archive")
    assert configuration.address(1) == "127.0.0.1:9001"
    assert configuration.section("scheduler", Section) == Section(
        delay=2.0,
        name="12",
        flag=True,
        kind="fast",
        listen="[::1]:80",
        words=["one", "two"],
        limits={"one": 1},
        folder=Path("/tmp/there"),
        pool=Pool(3),
        pools={"main": Pool(4)},
    )


def test_the_command_line_stands_over_the_file(tmp_path: Path) -> None:
    """A folder and a base port of the command line replace the file's."""
    path = write(tmp_path, "directory: a\nbase_port: 9000\n")
    configuration = load(path, directory=tmp_path, base_port="9100")
    assert (configuration.directory, configuration.base_port) == (tmp_path, 9100)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "scheduler:\n  deley: 1\n",
            "tree.yaml:2: scheduler.deley: unknown key; did you mean delay?",
        ),
        ("schedular: {}\n", "tree.yaml:1: schedular: unknown key; did you mean scheduler?"),
        (
            "scheduler:\n  delay: soon\n",
            "tree.yaml:2: scheduler.delay: expected a number, found the text 'soon'",
        ),
        (
            "scheduler:\n  name: 12\n",
            "tree.yaml:2: scheduler.name: expected text, found the number 12; put it in quotes",
        ),
        (
            "scheduler:\n  flag: 1\n",
            "tree.yaml:2: scheduler.flag: expected true or false, found the number 1",
        ),
        (
            "scheduler:\n  name: x\n  delay: -1\n",
            "tree.yaml:3: scheduler.delay: expected a value >= 0, found the number -1",
        ),
        (
            "scheduler:\n  delay: .inf\n",
            "tree.yaml:2: scheduler.delay: expected a finite number, found .inf",
        ),
        (
            "scheduler:\n  kind: slow\n",
            "tree.yaml:2: scheduler.kind: expected one of 'fast', 'safe'; found the text 'slow'",
        ),
        (
            "scheduler:\n  listen: nowhere\n",
            "tree.yaml:2: scheduler.listen: expected an address, host:port, "
            "found the text 'nowhere'",
        ),
        (
            "scheduler:\n  words:\n  - a\n  - [b]\n",
            "tree.yaml:4: scheduler.words[1]: expected text, found a list",
        ),
        (
            "scheduler:\n  pools:\n    main:\n      size: 0\n",
            "tree.yaml:4: scheduler.pools.main.size: expected a value >= 1, found the number 0",
        ),
        (
            "scheduler: [1]\n",
            "tree.yaml:1: scheduler: expected keys with values, found a list",
        ),
        (
            "scheduler:\n  delay: 1\n  delay: 2\n",
            "tree.yaml:3: scheduler.delay: expected each key once, "
            "found it again (first on line 2)",
        ),
        (
            "scheduler: {}\nscheduler: {}\n",
            "tree.yaml:2: scheduler: expected each key once, found it again (first on line 1)",
        ),
        (
            "base_port: 80\n",
            "tree.yaml:1: base_port: expected a value >= 1024, found the number 80",
        ),
        (
            "scheduler: &one {}\nnursery: *one\n",
            "tree.yaml:2: expected values, found the alias *one",
        ),
        (
            "scheduler:\n  delay: [\n",
            "tree.yaml:3: expected YAML, found an error: expected the node content, "
            "but found '<stream end>'",
        ),
        ("- scheduler\n", "tree.yaml:1: expected keys with values, found a list"),
        (
            "directory: !!python/object/apply:os.system [ls]\n",
            "tree.yaml:1: directory: expected the path of a file or folder, found a list",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    """A refused file is told by file, line, key, what was expected and what was found."""
    assert refusal(tmp_path, text) == said


def test_a_huge_or_deep_file_is_refused(tmp_path: Path) -> None:
    """Size and depth are checked before anything is built."""
    assert "characters" in refusal(tmp_path, "#" * (SIZE_LIMIT + 1))
    deep = "scheduler: " + "[" * (DEPTH_LIMIT + 1) + "]" * (DEPTH_LIMIT + 1)
    assert "levels of nesting" in refusal(tmp_path, deep)
    assert "levels of nesting" in refusal(tmp_path, "[" * 100_000)


def test_a_file_that_is_not_there_is_a_refusal(tmp_path: Path) -> None:
    """A missing file is said in words, as is one that is not text."""
    with pytest.raises(ConfigurationError, match="No such file"):
        load(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        load(tmp_path / "bytes.yaml")


@pytest.mark.parametrize("value", ["x", "80", "65500", "-1", ""])
def test_an_impossible_base_port_is_refused(value: str) -> None:
    """The base port of a command line is checked like the file's."""
    with pytest.raises(ConfigurationError, match="--base-port: expected a whole number"):
        load(base_port=value)


def test_a_section_nobody_has_is_a_mistake_of_ours() -> None:
    """Asking for a section that no agent has is an error in the code, not in the file."""
    with pytest.raises(KeyError):
        Configuration(Path("var"), 7100).section("schedular", Section)


@given(st.text() | st.text("[]{}:,-&*!|>'\"%@`? \n\t#ab01.\x00"))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever the text, the answer is a configuration or a ConfigurationError."""
    from agents.configuration.document import compose
    from agents.configuration.tree import TopConfig, _split
    from agents.configuration.typed import Reader

    try:
        top, sections = _split(compose(text, "x"), "x")
        Reader("x").instance(top, TopConfig, "")
        for node in sections.values():
            Reader("x").instance(node, Section, "scheduler")
    except ConfigurationError:
        pass


@pytest.mark.parametrize(
    "text",
    [
        "access: {proxy: 'http://user:hidden@nowhere'}",
        "access: {credentials: [{host: a.org, user: u, password: [hidden]}]}",
        "access: {given_cookies: [{domain: a.org, name: n, value: {hidden: 1}}]}",
    ],
)
def test_secrets_are_not_shown(tmp_path: Path, text: str) -> None:
    """What is wrong with a password is told, and where, without the password."""
    path = tmp_path / "config.yaml"
    path.write_text(f"scheduler:\n  {text}\n")
    with pytest.raises(ConfigurationError) as refused:
        load(path).section("scheduler", SchedulerConfig)
    assert "hidden" not in str(refused.value) and ":2: scheduler.access" in str(refused.value)
