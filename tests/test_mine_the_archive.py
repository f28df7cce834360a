"""The pages on mining and verifying, walked: commands work, examples have the shape of answers."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.test_documentation import Walk

_DOCS = Path(__file__).parent.parent / "docs"
_BLOCK = re.compile(r"^```(sh|json|text|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow


def blocks(page: str) -> list[tuple[str, str]]:
    """Return the pieces of code of a page, each with its language."""
    return _BLOCK.findall((_DOCS / page).read_text("utf-8"))


class Miner(Walk):
    """An archive of the demonstration website, mined as the page says."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        settings = next(
            text for kind, text in blocks("how-to/mine-the-archive.md") if kind == "yaml"
        )
        (folder / "archive.yaml").write_text(settings)

    def start(self) -> None:
        """Collect the demonstration website, and stay."""
        run = self._start(
            [
                ".venv/bin/dlweb",
                "run",
                "--config",
                "archive.yaml",
                "--base-port",
                str(self.base_port),
            ]
        )
        assert run.stdout is not None
        for line in run.stdout:
            if "Ctrl-C" in line:
                return
        raise AssertionError("the archive ended")

    def run(self, text: str) -> str:
        """Run commands of a page, on this archive's ports; return what they print."""
        for offset in (6, 7, 99):
            text = text.replace(str(7100 + offset), str(self.base_port + offset))
        text = text.replace("dlweb verify", ".venv/bin/dlweb verify")
        text = re.sub(r"^(wget .*)$", r"\1 || [ $? = 8 ]", text, flags=re.MULTILINE)
        return self._shell(text)


@pytest.fixture(scope="module")
def miner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Miner]:
    """An archive that runs and is mined."""
    miner = Miner(tmp_path_factory.mktemp("mine"))
    try:
        miner.start()
        yield miner
    finally:
        miner.stop()


def shape(value: Any) -> Any:
    """Return what a value is made of: names and kinds, and of a list its first entry."""
    if isinstance(value, dict):
        return {name: shape(each) for name, each in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, int | float) else type(value).__name__


def wait_until_read(miner: Miner) -> None:
    """Wait until the archive has been read, and its URLs are indexed: two followers, two paces."""
    api = "curl --silent 'http://127.0.0.1:7107/api/1/{}?url=http://127.0.0.1:7199/time.html'"
    for asked in ("backlinks", "urls"):
        for _ in range(600):
            if json.loads(miner.run(api.format(asked)))[asked]:
                break
            subprocess.run(["sleep", "0.1"], check=True)
        else:
            raise AssertionError(f"no {asked} were found")


def test_the_examples_of_the_interface(miner: Miner) -> None:
    """Every example is answered in the shape that the page shows."""
    wait_until_read(miner)
    found = blocks("reference/api.md")
    pairs = [(asked, told) for (kind, asked), (_, told) in pairwise(found) if kind == "sh"]
    assert len(pairs) > 5
    for asked, told in pairs:
        example, answer = json.loads(told), json.loads(miner.run(asked))
        assert shape(example) == shape(answer), asked
    miner.run(pairs[-2][0].replace("2026-11-21", ""))


def test_the_page_on_mining(miner: Miner) -> None:
    """Each block of commands works, and prints something where it asks."""
    wait_until_read(miner)
    for kind, text in blocks("how-to/mine-the-archive.md"):
        if kind == "sh":
            said = miner.run(text)
            asks = "--output" not in text and "wget" not in text
            assert bool(said.strip()) == asks, text
    assert any(miner.folder.glob("127.0.0.1:*/time.html"))
    assert (miner.folder / "page").read_bytes().startswith(b"<!")


def test_the_page_on_verifying(miner: Miner) -> None:
    """The site is given back whole, in the words that the page shows."""
    steps = [text for kind, text in blocks("how-to/verify-a-site.md") if kind == "sh"]
    (shown,) = (text for kind, text in blocks("how-to/verify-a-site.md") if kind == "text")
    said = miner.run(steps[0])
    assert said.splitlines()[2] == shown.splitlines()[2]
    pattern = re.sub(r"\d+", r"\\d+", re.escape(shown.splitlines()[1]))
    assert re.fullmatch(pattern, said.splitlines()[1])
    assert json.loads(miner.run(steps[1]))["well"] is True
    assert "gives the site back" in miner.run(steps[2])


def test_what_the_pages_need_is_here() -> None:
    """The programs that the commands name are installed where tests run."""
    assert all(shutil.which(name) for name in ("curl", "jq", "wget"))
