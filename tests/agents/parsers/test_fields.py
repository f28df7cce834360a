"""Fields of word processors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.fields import DEPTH_LIMIT, Fields, links_of
from agents.parsers.link import COMPONENT, PAGE


@pytest.mark.parametrize(
    ("instruction", "urls"),
    [
        (' HYPERLINK "http://a/b" ', ["http://a/b"]),
        ('hyperlink  "http://a/b"', ["http://a/b"]),
        ("HYPERLINK http://a/b \\o tip", ["http://a/b"]),
        ('HYPERLINK \\t "_blank" "http://a/b"', ["http://a/b"]),
        ('HYPERLINK "http://a/b" \\l "c"', ["http://a/b"]),
        ('HYPERLINK \\l "c"', []),
        ('HYPERLINK \\n "http://a/"', ["http://a/"]),
        ('HYPERLINK "..\\\\b.doc"', ["..\\b.doc"]),
        ('HYPERLINK "http://a/\\"b\\""', ['http://a/"b"']),
        ('HYPERLINK "http://a/b', ["http://a/b"]),
        ('INCLUDEPICTURE "a.png" \\* MERGEFORMAT \\d', ["a.png"]),
        ('INCLUDETEXT \\c HTML "a.html"', ["a.html"]),
        ('HYPERLINKS "http://a/"', []),
        ('PAGEREF "http://a/"', []),
        ("HYPERLINK", []),
        ("", []),
    ],
)
def test_instructions(instruction: str, urls: list[str]) -> None:
    """The first argument that belongs to no switch is the URL."""
    assert [link.url for link in links_of(instruction, "", text=False)] == urls


def test_kinds() -> None:
    """A person follows a hyperlink; a picture belongs to the document."""
    (link,) = links_of('HYPERLINK "a"', "shown", text=False)
    assert (link.kind, link.requisite, link.text) == (PAGE, False, "")
    (link,) = links_of('INCLUDEPICTURE "a"', "", text=False)
    assert (link.kind, link.requisite) == (COMPONENT, True)


def test_what_is_shown_is_the_text_of_the_link_or_else_its_tip() -> None:
    """The text of a link is what it shows, or its tool tip."""
    (link,) = links_of('HYPERLINK "a" \\o "tip"', " shown ", text=True)
    assert link.text == "shown"
    (link,) = links_of('HYPERLINK "a" \\o "tip"', "", text=True)
    assert link.text == "tip"


def test_fields_within_fields() -> None:
    """What a field shows is part of the one around it, be it of its instruction."""
    fields = Fields(text=True)
    fields.begin()
    fields.add('HYPERLINK "http://')
    fields.begin()
    fields.add("REF host")
    fields.separate()
    assert not fields.printed
    fields.add("example.org")
    assert list(fields.end()) == []
    fields.add('/"')
    fields.separate()
    assert fields.printed
    fields.add("shown")
    (link,) = fields.end()
    assert (link.url, link.text) == ("http://example.org/", "shown")


def test_fields_without_end() -> None:
    """The end of the document ends all fields; those too deep are left aside."""
    fields = Fields(text=False)
    fields.end()
    fields.separate()
    for _ in range(10 * DEPTH_LIMIT):
        fields.begin()
        fields.add('HYPERLINK "a"')
        fields.separate()
    assert len(list(fields.close())) == DEPTH_LIMIT
    assert fields.printed


@given(st.text(alphabet='HYPERLINK "\\lo*ab ', max_size=60))
def test_any_instruction(rest: str) -> None:
    """No instruction raises."""
    assert len(list(links_of("HYPERLINK" + rest, "", text=True))) <= 1


@given(st.lists(st.sampled_from(["begin", "separate", "end", "add"]), max_size=60))
def test_any_order(calls: list[str]) -> None:
    """Fields may be opened and closed in any order."""
    fields = Fields(text=True)
    for call in calls:
        getattr(fields, call)(*(["HYPERLINK a"] if call == "add" else []))
    list(fields.close())
    assert fields.printed
