"""The page on the directory of a crawl says what the crawler does: names and numbers."""

import re
from pathlib import Path

from attrs import fields
from lxml import etree

from agents import decoding
from agents.connectivity import crawl_folder, former
from agents.crawler import collector, crawler, findings, robots_files
from agents.crawler.directory import CrawlDirectory
from agents.crawler.network import health
from agents.crawler.reading import heavy, link_reader
from agents.crawler.strategy import judge, sitemaps, traps
from agents.order import Order
from agents.parsers import header_links, html
from agents.parsers.tokenizer import TAG_LIMIT
from agents.structure_line import StructureLine
from anet.http.exchange import HEAD_LIMIT

_REFERENCE = Path(__file__).parent.parent / "docs" / "reference"
_TEXT = " ".join((_REFERENCE / "crawl-directory.md").read_text("utf-8").split())
_MIB = 2**20


def _first_column(section: str) -> list[str]:
    text = (_REFERENCE / "crawl-directory.md").read_text("utf-8").split(f"\n## {section}\n")[1]
    rows = re.findall(r"^\| (`.*?) \|", text.split("\n## ")[0], re.MULTILINE)
    return [name for row in rows for name in re.findall("`([^`]+)`", row)]


def test_lines_of_structure() -> None:
    """Each key of a line is in its table, in order; the table of origins follows."""
    names = _first_column("A line of `structure`")
    keys = list(StructureLine.__struct_fields__)
    assert names[: len(keys)] == keys
    origins = ["crawl", "site", "agent", "address", "method", "protocol", "tls", "proxy"]
    origins += ["resumed", "truncated", "revisit", "stream", "gap"]
    origins += ["request", "request-without", "request-body"]
    assert names[len(keys) :] == origins


def test_elements_of_the_report() -> None:
    """Each element of the schema is in the table, in order."""
    tag = "{http://www.w3.org/2001/XMLSchema}"
    schema = etree.parse(_REFERENCE / "report.xsd").getroot()
    sequence = schema.find(f"{tag}element[@name='report']/{tag}complexType/{tag}sequence")
    assert sequence is not None
    names = [element.get("name") for element in sequence]
    assert _first_column("The report") == names


def test_what_is_kept_after_the_deposit() -> None:
    """The files that the next order finds are those that the page names."""
    for name in (*former._FILES, f"{crawl_folder.CERTIFICATES}/"):
        assert f"`{name}`" in _TEXT.split("## The former crawl")[1]


def test_secrets(tmp_path: Path) -> None:
    """The order that is kept has what the page says, and none of what it says is left out."""
    directory = CrawlDirectory(tmp_path / "crawl")
    directory.write_order(Order("c", "s", "http://a.org/", "//a.org"))
    kept = (tmp_path / "crawl" / "order.json").read_text()
    for name in fields(Order):
        assert f'"{name.name}":' in kept
    assert '"credentials":[],"proxy":null' in kept
    assert '"given_cookies":[]' in kept
    directory.abandon()


def test_numbers() -> None:
    """Limits are those of the code."""
    for said in (
        f"at most {HEAD_LIMIT // 1024} KiB",
        f"by URL ({findings.EXTERNAL_LIMIT:,})",
        f"by host ({findings.HOST_LIMIT:,})",
        f"({findings.EDGE_LIMIT:,} pairs)",
        f"({findings.LIST_LIMIT:,} of each list",
        f"at most {sitemaps.LIMIT}, wherever",
        f"for {sitemaps.SERVERS:,} servers",
        f"of {judge._SERVERS:,}.",
        f"after {health.PATIENCE} failures in a row ({health.STRANGERS},",
        f"after {health.PATIENCE * health.FOLDERS} such failures",
        f"more than {robots_files.KEPT_LIMIT // _MIB} MiB",
        f"{html.PARSE_LIMIT // _MIB} MiB of a document that is read as it comes",
        f"{heavy.BODY_LIMIT // _MIB} MiB of one that a worker",
        f"{crawler.PARSER_TIME:.0f} s and {crawler.PARSER_MEMORY // _MIB} MiB for a worker",
        f"{decoding.TOTAL_LIMIT // _MIB} MiB of a compressed body",
        f"beyond {decoding.FREE // _MIB} MiB of it {decoding.RATIO_LIMIT} times",
        f"{header_links.LINK_LIMIT:,} links in the heads",
        f"{judge.DOCUMENT_LIMIT:,} different links",
        f"`{traps.TRUNCATED}`",
        f"`{traps.LOST}`",
        f"`{traps.ENDLESS}`",
    ):
        assert said in _TEXT, said
    assert collector.ATTEMPTS == 3
    assert "A URL is tried three times in all" in _TEXT
    assert link_reader.SCRIPT_LIMIT == TAG_LIMIT == _MIB
