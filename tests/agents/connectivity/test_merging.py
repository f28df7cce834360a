"""What a crawl of some pages adds to what a whole one left."""

import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from agents.connectivity import former
from agents.connectivity.crawl_folder import CrawlFolder
from agents.connectivity.merging import merge

SITE = some.dictionaries(some.sampled_from("abcdef"), some.sampled_from("123456"), max_size=6)


def write(folder: Path, pages: dict[str, str]) -> None:
    """Write what a crawl of some pages leaves, each URL with its content."""
    folder.mkdir(exist_ok=True)
    contents = sorted(set(pages.values()))
    files = {
        "structure": [json.dumps({"url": url, "content": key}) for url, key in pages.items()],
        "analysis": [json.dumps({"content": key, "text": {}}) for key in contents],
        "signatures": contents,
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


def left(folder: Path) -> tuple[dict[str, str], list[str], list[str]]:
    """Return what is in a folder: content by URL, contents with a text, all contents."""
    captures = [json.loads(line) for line in (folder / "structure").read_text().splitlines()]
    texts = [json.loads(line)["content"] for line in (folder / "analysis").read_text().splitlines()]
    pages = {capture["url"]: capture["content"] for capture in captures}
    assert len(pages) == len(captures)
    return pages, sorted(texts), (folder / "signatures").read_text().splitlines()


def merged(partial: Path, former: Path) -> None:
    """Merge two folders into the second."""
    for name, lines in merge(partial, former):
        text = b"".join(lines)
        (former / name).write_bytes(text)


@given(SITE, SITE)
def test_pages_that_were_not_visited_stay(
    tmp_path_factory: object, whole: dict[str, str], some_pages: dict[str, str]
) -> None:
    """With their texts, and no others; what is merged twice is as merged once."""
    tmp_path: Path = tmp_path_factory.mktemp("merge")  # type: ignore[attr-defined]
    write(tmp_path / "former", whole)
    write(tmp_path / "partial", some_pages)
    for _ in range(2):
        merged(tmp_path / "partial", tmp_path / "former")
        pages, texts, signatures = left(tmp_path / "former")
        assert pages == whole | some_pages
        assert texts == sorted(set(pages.values()))
        assert signatures == sorted({*whole.values(), *some_pages.values()})


def test_lines_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    """Those of former crawls, cut short or damaged."""
    write(tmp_path / "former", {"a": "1", "b": "2"})
    write(tmp_path / "partial", {"a": "3"})
    with (tmp_path / "former" / "structure").open("a") as file:
        file.write('nonsense\n{"url": "c", "con')
    merged(tmp_path / "partial", tmp_path / "former")
    assert left(tmp_path / "former")[0] == {"a": "3", "b": "2"}


def test_a_crawl_of_some_pages_is_published(
    tmp_path: Path, make_crawl: Callable[..., Path]
) -> None:
    """Beside what is there already, or as all there is."""
    site = tmp_path / "sites" / "s"
    first = make_crawl(tmp_path / "crawls" / "c0", {"http://a/": b"0", "http://a/deep": b"1"})
    former.publish(CrawlFolder(first), site, whole=False)
    assert (site / "structure").read_text() == (first / "structure").read_text()
    second = make_crawl(tmp_path / "crawls" / "c1", {"http://a/": b"2"})
    for _ in range(2):
        former.publish(CrawlFolder(second), site, whole=False)
        assert (site / "structure").read_text().count("\n") == 2
        assert (site / "signatures").read_text().count("\n") == 3
    assert (second / "structure").read_text().count("\n") == 1
