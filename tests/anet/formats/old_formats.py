"""Pages for tests of old formats, files that were spoilt, and what is read of them."""

from attrs import frozen
from hypothesis import strategies as st

from anet.formats.page import Page
from anet.formats.record import Damage, DamagedRecord, Record

INNER = b"inner"
DATE = "20040501120000"
HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: text/html; charset=gb2312\r\n\r\n"


def page(number: int, body: bytes = b"<p>a page\n", **more) -> Page:
    """Return a page of a number."""
    return Page(f"http://example.org/{number}", DATE, HEAD, body, "162.105.129.12", **more)


def pages(written):
    """Lists of pages; `written` gives the record of a page, which others have in their bodies.

    Three records in a row in a body would be believed, by the rule, where its own header is lost;
    and one at the beginning of a line, where a spoilt length ends right before it.
    """
    text = st.sampled_from(
        [b"\n", b"version: 1.0\n", b"http://a/ 1.2.3.4 20040501000000 a 99999\n"]
    )
    inner = st.integers(0, 9).map(lambda number: b"<pre>" + written(page(number, INNER)))
    piece = st.one_of(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")), text)
    body = st.tuples(piece, st.one_of(inner, piece), piece, st.one_of(inner, piece)).map(b"".join)
    return st.lists(body, min_size=1, max_size=8).map(
        lambda bodies: [page(number, body) for number, body in enumerate(bodies)]
    )


@frozen
class Read:
    """A record that was read."""

    url: str
    block: bytes
    offset: int
    whole: bool


def everything(reader) -> list[Read | Damage]:
    """Return what a reader gives, each block read to where it can be."""
    found = []
    with reader:
        for each in reader:
            if isinstance(each, Damage):
                found.append(each)
            elif each.kind != "warcinfo":
                found.append(_read(each))
    return found


def _read(record: Record) -> Read:
    pieces, whole = [], True
    try:
        while piece := record.block.read(7 if record.size < 10_000 else 65_536):
            pieces.append(piece)
    except DamagedRecord:
        whole = False
    return Read(record.get("WARC-Target-URI"), b"".join(pieces), record.offset, whole)


def urls(found: list[Read | Damage]) -> list[str]:
    """Return the last letter of the URL of each record that is whole."""
    return [each.url[-1] for each in found if isinstance(each, Read) and each.whole]


def damage(found: list[Read | Damage]) -> list[tuple[int, int]]:
    """Return where damage is."""
    return [(each.offset, each.end) for each in found if isinstance(each, Damage)]


@frozen
class Spoilt:
    """A file of which a part was replaced.

    Attributes:
        data: of the file, as it is now.
        begin: the first byte that is another now.
        end: the byte after the part that was replaced, as it was.
        grown: how many bytes the file has more than before.
    """

    data: bytes
    begin: int
    end: int
    grown: int


@st.composite
def spoilt(draw, data: bytes, first: int) -> Spoilt:
    """Files of which, after a first part, bytes were lost, became others, or came in between."""
    begin = draw(st.integers(first, len(data)))
    end = min(len(data), begin + draw(st.one_of(st.integers(0, 3), st.integers(0, 200))))
    junk = draw(st.one_of(st.binary(max_size=6), st.sampled_from([b"7", b"\n", b"\n\n", b"1234"])))
    return Spoilt(data[:begin] + junk + data[end:], begin, end, len(junk) - (end - begin))


def check_spoilt(file: Spoilt, places: list[tuple[int, int]], written: list[Page], found) -> None:
    """Check that what was not spoilt is found, in its order, and that nothing is invented.

    A length that was spoilt, or does not fit what was spoilt, may by chance end before a newline
    and a record, or the file; nobody can tell that. Such cases are passed over.

    Args:
        file: that was read.
        places: where each page's record began, and the byte after it, before the file was spoilt.
        written: the pages.
        found: what `everything` gave.
    """
    whole = [each for each in found if isinstance(each, Read) and each.whole]
    known = {}
    for (begin, end), each in zip(places, written, strict=True):
        if end <= file.begin or begin > file.end:
            moved = begin if end <= file.begin else begin + file.grown
            known[moved] = Read(each.url, each.head + each.body, moved, True)
    others = [each for each in whole if each.offset not in known]
    expected = {HEAD + INNER, *(each.head + each.body for each in written)}
    if file.grown and any(each.block not in expected for each in others):
        return
    assert [each for each in whole if each.offset in known] == [*known.values()]
    last = places[-1][0] + file.grown  # where the rule lets fewer than three count
    for each in others:
        if each.offset < last:
            assert file.begin <= each.offset + 400 + len(each.block)
            assert each.offset <= file.end + max(file.grown, 0)
    assert all(0 <= begin < end <= len(file.data) for begin, end in damage(found))
