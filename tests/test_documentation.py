"""What the documentation says is so: links lead somewhere, examples work."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agents.archive import reference
from agents.archive.command import places
from agents.archive.command.arguments import parser
from agents.archive.sections import all_sections
from agents.configuration import load
from hip.command import parser as hip_parser

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)")
_CONFIGURED = set(all_sections()) | {"directory", "base_port", "insecure"}


def blocks(kind: str) -> Iterator[tuple[Path, str]]:
    """Yield the blocks of code of a language, with their pages."""
    for page in PAGES:
        for language, text in _BLOCK.findall(page.read_text("utf-8")):
            if language == kind:
                yield page, text


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("etc/quickstart.yaml", reference.quickstart),
        ("docs/reference/configuration.md", reference.configuration_page),
        ("docs/reference/commands.md", reference.commands_page),
    ],
)
def test_the_reference_is_what_the_code_says(path: str, written) -> None:
    """`make reference` would change nothing."""
    assert (ROOT / path).read_text("utf-8") == written(), f"{path} is old: run make reference"


def test_the_annotated_configuration_is_the_defaults() -> None:
    """Every key of every agent is in the quickstart's file, with its default."""
    configuration = load(ROOT / "etc" / "quickstart.yaml")
    assert (configuration.directory, configuration.base_port) == (Path("var").absolute(), 7100)
    for name, cls in all_sections().items():
        assert name in configuration.sections
        assert configuration.section(name, cls) == cls(), name


def test_every_key_is_explained() -> None:
    """Each attribute of a section has its words."""
    for name, cls in all_sections().items():
        words = reference.attribute_words(cls)
        for field in cls.__attrs_attrs__:
            assert words.get(field.name), f"{name}.{field.name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A link into the project leads to a file or folder of it."""
    for target in _LINK.findall(page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"


def test_every_page_is_found_from_the_index() -> None:
    """The README leads to the index; its links, and theirs, lead to each page, not to a folder."""
    index = ROOT / "docs" / "index.md"
    assert "(docs/index.md)" in (ROOT / "README.md").read_text("utf-8")
    led, ahead = {index}, [index]
    while ahead:
        page = ahead.pop()
        targets = {
            (page.parent / link).resolve() for link in _LINK.findall(page.read_text("utf-8"))
        }
        new = {target for target in targets if target.suffix == ".md" and target.exists()} - led
        led |= new
        ahead += new
    for page in PAGES:
        assert page in led or page.parent == ROOT, page


def test_examples_show_what_the_demonstration_gives() -> None:
    """Where people are told to look is where the archive says."""
    readme = (ROOT / "README.md").read_text("utf-8")
    tutorial = _TUTORIAL.read_text("utf-8")
    said = places.where_to_look(
        places.Places(
            archive="http://127.0.0.1:7198/",
            scheduler="http://127.0.0.1:7101/",
            crawlers=("http://127.0.0.1:7121/",),
            harbor="http://127.0.0.1:7107/harbor",
            proxy="127.0.0.1:7106",
            lookup="multicast",
        ),
        "http://127.0.0.1:7199/",
        "chromium",
    )
    for line in said[:6]:
        assert line in readme, line
    for address in ("7198/", "7101/", "7107/harbor"):
        assert f"`http://127.0.0.1:{address}`" in tutorial


def test_configurations_in_the_documentation_are_accepted(tmp_path: Path) -> None:
    """Every example of a configuration would be taken by the agents."""
    seen = 0
    for page, text in blocks("yaml"):
        first = re.match(r"([\w-]+):", text)
        if first is None or first[1] not in _CONFIGURED:
            continue
        (tmp_path / "example.yaml").write_text(text)
        configuration = load(tmp_path / "example.yaml")
        for name, cls in all_sections().items():
            configuration.section(name, cls)
        seen += 1
        assert page
    assert seen


def test_commands_in_the_documentation_are_understood() -> None:
    """Every example of `dlweb` and of `hip` is a command line that it takes."""
    seen = 0
    for page, text in blocks("sh"):
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            program = Path(words[0]).name if words else ""
            if program in ("dlweb", "hip"):
                (parser if program == "dlweb" else hip_parser)().parse_args(words[1:])
                seen += 1
        assert page
    assert seen > 5


def test_modules_that_the_page_on_the_crawler_names_exist() -> None:
    """Who reads how it works finds each part under the name that the page gives it."""
    text = (ROOT / "docs" / "explanation" / "crawler.md").read_text("utf-8")
    text = text.split("## Which processes")[0]
    named = {name for name in re.findall(r"`([a-z_]+)`", text) if name != "structure"}
    assert len(named) > 20
    for name in named:
        rooms = [ROOT / "agents" / room for room in ("crawler", "parsers", "analysis")]
        found = [path for room in rooms for path in room.rglob(f"{name}.py")]
        assert found or (ROOT / "agents" / f"{name}.py").exists(), name


def test_goals_in_the_documentation_exist() -> None:
    """Every `make goal` that a page names is in the Makefile."""
    goals = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        for goal in re.findall(r"`make ([a-z-]+)", page.read_text("utf-8")):
            assert goal in goals, f"{page}: make {goal}"


# The tutorial, walked.

_TUTORIAL = ROOT / "docs" / "tutorial" / "first-archive.md"


class Walk:
    """The tutorial's folder, with an archive running in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".venv").symlink_to(sys.prefix)
        self.base_port = free_ports(101)
        self.site_port = self.base_port + 100
        self._children: list[subprocess.Popen[str]] = []

    def start_archive(self) -> str:
        """Do what `make run` does, on other ports; return what it prints until it stays."""
        command = [".venv/bin/dlweb", "run", "--base-port", str(self.base_port)]
        run = self._start(command)
        said = ""
        assert run.stdout is not None
        for line in run.stdout:
            said += line
            if "Ctrl-C" in line:
                return said
        raise AssertionError(f"the archive ended: {said}")

    def step(self, text: str) -> str:
        """Run a block of the tutorial; a server in it runs until the end."""
        text = text.replace("8765", str(self.site_port))
        *before, last = text.strip().splitlines()
        if "http.server" not in last:
            return self._shell(text)
        self._shell("\n".join(before))
        self._start(shlex.split(last))
        wait_for_port(self.site_port)
        return ""

    def _shell(self, text: str) -> str:
        done = subprocess.run(
            ["bash", "-euc", text], cwd=self.folder, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, text + done.stdout + done.stderr
        return done.stdout

    def _start(self, command: list[str]) -> "subprocess.Popen[str]":
        child = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._children.append(child)
        return child

    def stop(self) -> None:
        """Do as Ctrl-C does."""
        for child in reversed(self._children):
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)


def free_ports(count: int) -> int:
    """Return the first of `count` free ports in a row, below those the system gives away."""
    for base in range(20000 + os.getpid() % 8000, 32000, count):
        try:
            for port in range(base, base + count):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    raise RuntimeError("no free ports")


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(2000):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"nobody listens at {port}")


@pytest.fixture
def tutorial(tmp_path: Path) -> Iterator[Walk]:
    """Return a place to walk the tutorial in."""
    walk = Walk(tmp_path)
    yield walk
    walk.stop()


@pytest.mark.slow
def test_the_tutorial_works(tutorial: Walk) -> None:
    """Its commands do what its text says, in its order."""
    steps = [text for page, text in blocks("sh") if page == _TUTORIAL]
    site, first, second, history, files = steps
    said = tutorial.start_archive()
    counts = re.search(r"\d+ captures, .*; stored \d+ new contents .*; \d+ known", said)
    assert counts is not None
    for page in (_TUTORIAL, ROOT / "README.md"):
        assert counts[0] in page.read_text("utf-8"), page
    assert "chromium" in said or "chrome" in said
    tutorial.step(site)
    said = tutorial.step(first)
    assert "stored 3 new contents" in said  # two pages, and the answer about robots.txt
    assert "stored 1 new content " in tutorial.step(second)
    told = tutorial.step(history).splitlines()
    assert [line.split()[1] for line in told[:2]] == ["200", "200"]
    assert told[2].startswith("<h1>Tuesday</h1>")
    monday = tutorial.step(
        f".venv/bin/dlweb get --date {told[0].split()[0]} http://127.0.0.1:8765/"
    )
    assert monday.startswith("<h1>Monday</h1>")
    assert len(tutorial.step(files).splitlines()) > 1
