"""Finishing a directory of captures, also one that a killed process left (docs/reference)."""

import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec
from lxml import etree
from twisted.logger import Logger

from agents.collected.exchange import Collected
from agents.order import CrawlFigures
from agents.stream_offset import StreamOffset
from agents.structure_line import StructureLine
from anet.durable import sync_path

ORDER = "order.json"
REPORT = "report.xml"
BEGINNING = StreamOffset(0, 0).metadata  # of the first capture of a content that has several

_log = Logger()


def recovered(path: Path, site: str) -> Collected | None:
    """Finish what a killed process left; None where it had hardly begun, or cannot be read.

    Whatever is wrong with one directory, the others are offered.
    """
    try:
        if not _is_begun(path):
            shutil.rmtree(path)
            return None
        return finish(path, site)
    except OSError as error:
        _log.error("{path} is left as it is: {error}", path=path, error=error)
        return None


def _is_begun(path: Path) -> bool:
    """Tell whether a directory has its order, which is durable before any capture."""
    try:
        msgspec.json.decode((path / ORDER).read_bytes())
    except (FileNotFoundError, msgspec.MsgspecError):
        return False
    return True


def finish(path: Path, site: str) -> Collected:
    """Write what is missing of a directory, the report last; return what is in it."""
    lines = _whole_lines(path)
    figures = CrawlFigures(
        captures=len(lines),
        pages=len(lines),
        contents_new=len({line.content for line in lines}),
        bytes_received=sum(line.size for line in lines if line.metadata in ("", BEGINNING)),
        urls_changed=len({line.url for line in lines}),
    )
    if not (path / REPORT).exists():
        keys = sorted({line.content for line in lines})
        (path / "signatures").write_text("".join(f"{key}\n" for key in keys), "ascii")
        draft = path / f"{REPORT}.new"
        draft.write_bytes(_report(path.name, site, figures, Counter(line.status for line in lines)))
        for name in (ORDER, "pack", "structure", "signatures", draft.name):
            sync_path(path / name)
        draft.rename(path / REPORT)
        sync_path(path)
        sync_path(path.parent)
    return Collected(path.name, str(path), figures)


def _whole_lines(path: Path) -> list[StructureLine]:
    """Return the captures of a directory; what a killed process left of another is cut off."""
    (path / "structure").touch()
    (path / "pack").touch()
    lines, end = read_lines(path)
    os.truncate(path / "structure", end)
    return lines


def read_lines(path: Path) -> tuple[list[StructureLine], int]:
    """Return the captures of a directory up to the first that is not whole, and where that begins.

    Raises:
        OSError: the directory cannot be read.
    """
    lines, end = [], 0
    for line, behind in _each_line(path):
        lines.append(line)
        end = behind
    return lines, end


def cut_off(path: Path, captures: Collection[tuple[str, str]]) -> None:
    """Cut a structure off before the first of some captures, known by URL and date.

    Raises:
        OSError: the directory cannot be read, or written.
    """
    end = 0
    for line, behind in _each_line(path):
        if (line.url, line.date) in captures:
            os.truncate(path / "structure", end)
            return
        end = behind


def _each_line(path: Path) -> Iterator[tuple[StructureLine, int]]:
    """Yield the captures of a directory, and where each ends, up to the first that is not whole."""
    size = (path / "pack").stat().st_size
    read = msgspec.json.Decoder(StructureLine).decode
    end = 0
    with (path / "structure").open("rb") as file:
        for text in file:
            try:
                line = read(text)
            except msgspec.MsgspecError:
                return
            is_held = line.place is None or line.place + line.size <= size
            if not text.endswith(b"\n") or not is_held:
                return
            end += len(text)
            yield line, end


def _report(crawl: str, site: str, figures: CrawlFigures, statuses: Counter[int]) -> bytes:
    """Return the report, by docs/reference/report.xsd."""
    root = etree.Element("report", version="1", crawl=crawl, site=site)
    bounds = {"start_url": "", "accept": "", "reject": "", "maximum_depth": "0"}
    etree.SubElement(root, "delimitation", bounds)
    statistics = etree.SubElement(root, "statistics")
    for name in ("captures", "pages", "contents_new", "bytes_received", "urls_changed"):
        value = str(getattr(figures, name))
        etree.SubElement(statistics, "figure", name=name, value=value)
    counted = etree.SubElement(root, "statuses")
    for status, count in sorted(statuses.items()):
        etree.SubElement(counted, "status", code=str(status), count=str(count))
    etree.SubElement(root, "levels")
    etree.SubElement(root, "formats")
    for name in ("external", "hosts", "graph", "feeds", "streams", "failures"):
        etree.SubElement(root, name, cut="0")
    etree.SubElement(root, "limits")
    for name in ("traps", "sessions", "excluded"):
        etree.SubElement(root, name, cut="0")
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8")) + b"\n"
