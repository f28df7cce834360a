"""The project as others install it: plugins, data files, pinned dependencies."""

import configparser
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from twisted.application.service import IServiceMaker
from twisted.plugin import getPlugins

ROOT = Path(__file__).parent.parent
PLUGINS = {
    "archive",
    "connectivity",
    "consultation",
    "feed-aggregator",
    "index-node",
    "nursery",
    "scheduler",
    "site-crawler",
    "storage-master",
    "storage-node",
    "streaming",
}
LIST = """
from twisted.plugin import getPlugins
from twisted.application.service import IServiceMaker
import agents
print(agents.__path__[0])
for maker in getPlugins(IServiceMaker):
    if maker.module.startswith("agents."):
        print(maker.tapname)
"""


def requirements(*sections: str) -> set[str]:
    """Return the names of distributions that setup.cfg asks for."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg")
    found = parser["options"]["install_requires"].split("\n")
    for section in sections:
        found += parser["options.extras_require"][section].split("\n")
    names = (re.split(r"[\[<>=!~;\s]", line.strip())[0] for line in found)
    return {normal(name) for name in names if name}


def normal(name: str) -> str:
    """Return a distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_installed_project_shows_its_plugins() -> None:
    """Every agent is a plugin of twistd."""
    found = {maker.tapname for maker in getPlugins(IServiceMaker)}
    assert found >= PLUGINS


def test_every_plugin_can_be_made() -> None:
    """Each plugin's module is there, with its options and its service."""
    for maker in getPlugins(IServiceMaker):
        if maker.tapname in PLUGINS:
            assert callable(maker.makeService), maker.tapname
            options = maker.options()
            options.parseOptions([])
            assert options["config"] is None, maker.tapname


def test_twisted_stays_a_folder_of_twisteds() -> None:
    """An __init__ in twisted/plugins would hide the plugins of others."""
    assert not list((ROOT / "twisted").rglob("__init__.py"))


@pytest.mark.parametrize(
    ("lock", "sections"),
    [
        ("requirements.lock", ("build",)),
        ("requirements-tests.lock", ("build", "tests", "checks")),
        ("requirements-benchmarks.lock", ("build", "benchmarks")),
    ],
)
def test_everything_asked_for_is_locked(lock: str, sections: tuple[str, ...]) -> None:
    """A lock pins each requirement by hash, and names no index."""
    text = (ROOT / lock).read_text()
    pinned = {normal(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}
    assert requirements(*sections) <= pinned
    assert "://" not in text
    blocks = re.split(r"\n(?=[\w.-]+==)", text)[1:]
    assert all("--hash=sha256:" in block for block in blocks)


def test_every_dependency_has_its_reason() -> None:
    """The README says of each library why it is here."""
    table = (ROOT / "README.md").read_text().partition("## DEPENDENCIES")[2]
    named = {normal(name) for name in re.findall(r"[\w.-]+", table)}
    assert requirements("tests", "checks", "benchmarks") - {"types-pyyaml", "lxml-stubs"} <= named


@pytest.mark.slow
def test_a_wheel_brings_everything(tmp_path: Path) -> None:
    """Outside of the checkout a wheel shows the plugins, and holds the data that agents need."""
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", ROOT, source], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, source], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("dlweb-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    kept = {
        path
        for path in subprocess.run(
            ["git", "-C", source, "ls-files", "agents", "anet", "hip", "twisted"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        if not path.endswith(".pyi")
    }
    assert kept <= names
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    done = subprocess.run(
        [environment / "bin" / "python", "-c", LIST],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    place, *plugins = done.stdout.split()
    assert place == str(site / "agents")
    assert set(plugins) == PLUGINS
