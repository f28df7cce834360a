"""XML as events: whole, in pieces, faulty and hostile."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from agents.parsers.xml_events import (
    BLOCK,
    DEPTH_LIMIT,
    END,
    START,
    TEXT,
    TOKEN_LIMIT,
    Event,
    XmlEvents,
)
from agents.parsers.xml_names import Names


def events(text: str, step: int = 10**9) -> tuple[list[Event], bool]:
    """Return the events of a document, texts joined, and whether it was cut short."""
    xml = XmlEvents()
    pieces = [text[start : start + step] for start in range(0, len(text), step)]
    found = [event for piece in pieces for event in xml.feed(piece)] + [*xml.feed("", final=True)]
    joined: list[Event] = []
    for event in filter(None, found):
        if event.kind == TEXT and joined and joined[-1].kind == TEXT:
            event = Event(TEXT, joined.pop().value + event.value, {})
        joined.append(event)
    return joined, xml.truncated


def told(text: str) -> str:
    """Return the events of a document in short, the same for any way of cutting it."""
    found, truncated = events(text)
    for step in (1, 2, 5):
        assert events(text, step) == (found, truncated)
    marks = {START: "<{}{}>", END: "</{}>", TEXT: "{}", "instruction": "<?{}{}?>"}
    return "".join(
        marks[kind].format(value, "".join(f" {k}={v}" for k, v in attributes.items()))
        for kind, value, attributes in found
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<a b='c'>d<e/></a>", "<a b=c>d<e></e></a>"),
        ("<a b='?x=1&y=2&copy=3&eacute;'>&nbsp;R&D &amp;amp; &#65;&lt;</a>",
         "<a b=?x=1&y=2&copy=3é>\xa0R&D &amp; A<</a>"),
        ("<a><![CDATA[x=1&y=2&lt;<b>]]>&</a>", "<a>x=1&y=2&lt;<b>&</a>"),
        ("<a><b>t</c></b><d/></a>", "<a><b>t</b><d></d></a>"),
        ("<a><b><c>t</b><d/></a>", "<a><b><c>t</c></b><d></d></a>"),
        ("<a><b x=1/><c x='1' x='2'/><d/></a>", "<a><d></d></a>"),
        ("junk<a/>", "<a></a>"),
        ("<p>W</p><?xml version='1.0'?><a/>", "<p>W</p><a></a>"),
        ("\n\n<?xml version='1.0' encoding='utf-16'?><a/>", "<a></a>"),
        ("<a>\0\x0b</a>", "<a>\ufffd\ufffd</a>"),
        ("<a><b>c", "<a><b>c</b></a>"),
        ("<a><b c='", "<a></a>"),
        ("", ""),
        ("<?xml-stylesheet href='a'?><a/>", "<?xml-stylesheet =href='a'?><a></a>"),
        ("<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d SYSTEM 'file:///etc/passwd'>]><a>&b;&d;</a>",
         "<a>&b;&d;</a>"),
    ],
)  # fmt: skip
def test_documents(document: str, expected: str) -> None:
    """Sound documents are told as they are, and faulty ones as far as they make sense."""
    assert told(document) == expected


NAMES = st.sampled_from(["a", "b", "c:d"])
TEXTS = st.text(alphabet="xy &<>'\"é\n]", max_size=12)
TREES = st.recursive(
    st.builds(lambda text: ("", text, []), TEXTS),
    lambda children: st.tuples(NAMES, TEXTS, st.lists(children, max_size=4)),
    max_leaves=20,
)


def written(tree) -> str:
    """Return a tree as XML."""
    name, text, children = tree
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;")
    if not name:
        return escaped.replace(">", "&gt;")
    inner = "".join(map(written, children))
    quoted = escaped.replace('"', "&quot;").replace("\n", "&#10;")
    return f'<{name} x="{quoted}">{inner}</{name}>'


@settings(max_examples=300)
@given(TREES, st.integers(1, 9))
def test_sound_documents_are_as_lxml_sees_them(tree, step: int) -> None:
    """Elements, attributes and text are those that another parser finds."""
    document = f'<r xmlns:c="c">{written(tree)}</r>'
    expected: list[tuple[str, str]] = []

    def walk(element) -> None:
        expected.append((START, element.tag.replace("{c}", "c:")))
        expected.extend([("x", element.get("x"))] if "x" in element.attrib else [])
        expected.append((TEXT, element.text or ""))
        for child in element:
            walk(child)
            expected.append((TEXT, child.tail or ""))
        expected.append((END, ""))

    walk(etree.fromstring(document))
    found: list[tuple[str, str]] = []
    for kind, value, attributes in events(document, step)[0]:
        found.append((kind, "" if kind == END else value))
        found.extend([("x", attributes["x"])] if "x" in attributes else [])
    assert found == [one for one in expected if one != (TEXT, "")]


PIECES = st.sampled_from(
    ["<a>", "</a>", "<b x='1'>", "</b>", "<b x=1>", "<", ">", "&", "&amp;", "&nbsp", ";", "'", '"',
     "<![CDATA[", "]]>", "<!--", "-->", "<?x ", "?>", "<!DOCTYPE a [", "x" * 40, "\0", "é", "</_>",
     "<_>", "<!ENTITY b 'c'>", "%b;", "<c:d xmlns:c='e' xmlns='f'>", "\r\n", "y" * BLOCK]
)  # fmt: skip


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 50))
@example("<a>" * 3 + "y" * BLOCK + "</b></_></_>", 1)
def test_pieces_do_not_matter(text: str, step: int) -> None:
    """Any text gives the same however it is cut, what opens closes, and nothing raises."""
    whole = events(text)
    assert events(text, step) == whole
    depth = 0
    for event in whole[0]:
        depth += {START: 1, END: -1}.get(event.kind, 0)
        assert depth >= 0
    assert depth == 0


BOMB = "<!DOCTYPE a [<!ENTITY a 'aaaaaaaaaaaaaaaa'>" + "".join(
    f"<!ENTITY {chr(98 + i)} '{f'&{chr(97 + i)};' * 20}'>" for i in range(12)
)


@pytest.mark.parametrize(
    "hostile",
    [
        BOMB + "]><a b='&m;'>&m;</a>",
        "<a>" * 10_000,
        "<a" + " b='c'" * 200_000 + ">",
        "<a b='" + "x" * 2 * TOKEN_LIMIT + "'/>",
        "<a>" + "</b>" * 100_000,
        "<" * 500_000,
        "<!--" * 300_000,
        "<![CDATA[" * 100_000,
        "<a>" + "&" * 500_000,
        "<!DOCTYPE a [" * 50_000,
        "<a" + "".join(f" xmlns:a{i}='b'" for i in range(20_000)) + "/>",
    ],
    ids=range(11),
)
def test_hostile_documents(hostile: str) -> None:
    """A bomb gives no more than it is, nothing grows beyond the limits, and it comes to an end."""
    xml, parsed = XmlEvents(), 0
    parse = xml._parse
    deep, size = 0, 0

    def counted(block: bytes) -> Iterator[None]:
        nonlocal parsed
        parsed += len(block)
        return parse(block)

    xml._parse = counted  # type: ignore[method-assign]
    for start in range(0, len(hostile), 1400):
        for event in xml.feed(hostile[start : start + 1400]):
            if event is not None:
                deep += {START: 1, END: -1}.get(event.kind, 0)
                size += len(event.value) + sum(map(len, event.attributes.values()))
                assert deep <= DEPTH_LIMIT
    list(xml.feed("", final=True))
    assert parsed <= 6 * len(hostile)
    assert size <= 2 * len(hostile)


def test_a_long_tag_is_not_read_over_and_over() -> None:
    """Blocks grow while there is no event: a tag of 1 MiB is looked at a hundred times at most."""
    xml = XmlEvents()
    blocks = sum(event is None for event in xml.feed("<a b='"))
    for _ in range(2 * TOKEN_LIMIT // 1000):
        blocks += sum(event is None for event in xml.feed("x" * 1000))
    assert xml.truncated
    assert blocks < 100


def test_what_follows_a_long_tag_is_read_in_small_pieces() -> None:
    """However long a tag was, the next thousand elements are not read in one go."""
    xml = XmlEvents()
    text = "<a b='" + "x" * (TOKEN_LIMIT // 2) + "'>" + "<c/>" * 100_000
    together = most = 0
    for event in xml.feed(text, final=True):
        together = together + 1 if event else 0
        most = max(most, together)
    assert most < 40_000


def test_names() -> None:
    """Names are short whatever prefixes a document chose, and scopes end."""
    names = Names()
    assert names.opened("x:feed", {"xmlns:x": "http://www.w3.org/2005/Atom", "xml:base": "b"}) == (
        "feed", {"xmlns:x": "http://www.w3.org/2005/Atom", "xml:base": "b"},
    )  # fmt: skip
    assert names.opened("x:entry", {})[0] == "entry"
    declared = {"xmlns": "http://www.w3.org/1999/xhtml", "xmlns:l": "http://www.w3.org/1999/xlink"}
    assert names.opened("p", {**declared, "l:href": "c"})[0] == "xhtml:p"
    assert names.opened("a", {"l:href": "c"}) == ("xhtml:a", {"xlink:href": "c"})
    names.closed()
    names.closed()
    assert names.opened("p", {})[0] == "p"
    assert names.opened("media:title", {})[0] == "media:title"
