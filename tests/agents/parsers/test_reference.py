"""What is written about parsers is so."""

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from agents.parsers import Source, registry
from agents.parsers.reference import PAGE, parsers_page

ROOT = Path(__file__).parents[3]
HOW_TO = (ROOT / "docs" / "how-to" / "write-a-parser.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", HOW_TO, re.MULTILINE | re.DOTALL)


def test_the_list_of_parsers_is_what_they_say() -> None:
    """`make reference` would change nothing."""
    assert (ROOT / PAGE).read_text("utf-8") == parsers_page(), f"{PAGE} is old: run make reference"


def test_the_parser_of_the_walk_through_runs_as_printed(tmp_path: Path) -> None:
    """The file printed there reads a shortcut, and is the file of dlweb, as is its test."""
    (tmp_path / "printed.py").write_text(BLOCKS[0])
    spec = importlib.util.spec_from_file_location("printed", tmp_path / "printed.py")
    assert spec is not None
    assert spec.loader is not None
    printed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(printed)
    parser = printed.ShortcutParser(Source())
    found = [*parser.feed(b"[InternetShortcut]\r\nURL=http://a.example/"), *parser.close()]
    assert [link.url for link in found if link] == ["http://a.example/"]
    parsers = ROOT / "agents" / "parsers"
    assert BLOCKS[0] == (parsers / "shortcut.py").read_text("utf-8")
    assert BLOCKS[1] == Path(__file__).with_name("test_shortcut.py").read_text("utf-8")
    entry = re.search(r"^```ini\n(.*)\n```", HOW_TO, re.MULTILINE)
    assert entry is not None
    assert entry[1] in (ROOT / "setup.cfg").read_text("utf-8")


@pytest.mark.parametrize("part", ["media_types", "extensions", "beginnings"])
def test_no_two_parsers_claim_the_same(part: str) -> None:
    """Each media type, extension and beginning has one parser."""
    claims = Counter(
        one for parser in registry().by_name.values() for one in getattr(parser.format, part)
    )
    assert [one for one, count in claims.items() if count > 1] == []


def test_every_parser_is_named_as_its_entry_point() -> None:
    """Names are in lower case, and media types too, for they are compared so."""
    for name, parser in registry().by_name.items():
        told = parser.format
        assert re.fullmatch(r"[a-z0-9-]+", name)
        assert told.media_types == tuple(map(str.lower, told.media_types))
        assert all(re.fullmatch(r"\.[a-z0-9]+", one) for one in told.extensions)
