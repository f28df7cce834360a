"""What differs between two captures is told, whole and in limits."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.consultation.harbor.comparing import (
    CONTEXT,
    ROWS_LIMIT,
    Comparison,
    compare,
    compare_lines,
    compare_words,
)

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
URL = "http://a.example/"
lines = st.lists(st.sampled_from(["one", "two words", "three more words", "x"]), max_size=40)


def compared(old, new, mode="text", head=HTML):
    """Return what differs, as it crosses a pipe."""
    told = compare([URL, head, old], [URL, head, new], mode)
    return msgspec.convert(msgspec.msgpack.decode(msgspec.msgpack.encode(told)), Comparison)


def text_of(runs):
    """Return the text of a line."""
    return "".join(text for _, text in runs)


def test_the_text_of_pages_is_compared():
    """What people read is compared, word by word where lines are alike."""
    told = compared(
        b"<h1>News</h1><p>It rains in Paris today", b"<h1>News</h1><p>It snows in Paris"
    )
    assert [row.kind for row in told.rows] == ["same", "removed", "added"]
    assert ("rains") in [text for changed, text in told.rows[1].runs if changed]
    assert 0.5 < told.similarity < 1 and told.has_text and told.types == ("text/html",) * 2


def test_the_source_of_documents_is_compared():
    """Markup that nobody reads is seen in the source."""
    told = compared(b"<p class=a>x\n<p>y", b"<p class=b>x\n<p>y", "source")
    assert [row.kind for row in told.rows] == ["removed", "added", "same"]
    assert compared(b"<p class=a>x", b"<p class=b>x").similarity == 1.0


def test_links_and_head_are_compared():
    """Links that came and went are told, and header fields that changed."""
    old = HTML.replace(b"\r\n\r\n", b"\r\nServer: a\r\n\r\n")
    new = HTML.replace(b"\r\n\r\n", b"\r\nServer: b\r\nX-New: 1\r\n\r\n")
    told = msgspec.convert(
        compare([URL, old, b"<a href=/a>"], [URL, new, b"<a href=/b>"], "links"), Comparison
    )
    assert (told.links_added, told.links_gone) == ([f"{URL}b"], [f"{URL}a"])
    assert told.fields == [("server", "a", "b"), ("x-new", "", "1")]


@pytest.mark.parametrize("mode", ["text", "source"])
def test_what_is_no_text_has_none(mode):
    """Bytes of an unknown kind have nothing to compare."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-unknown\r\n\r\n"
    assert not compared(b"\0\1\2", b"\0\3", mode, head).has_text


@given(
    st.binary(max_size=300), st.binary(max_size=300), st.sampled_from(["text", "source", "links"])
)
def test_anything_can_be_compared(old, new, mode):
    """No bytes of the web are too odd to compare."""
    told = compared(old, new, mode)
    assert 0 <= told.similarity <= 1
    if old == new:
        assert told.similarity == 1 and not told.links_added


@given(lines, lines)
def test_the_lines_tell_both_texts(old, new):
    """From what is told both texts can be put together, but for lines that are skipped."""
    rows, same = compare_lines(old, new)
    told = {"removed": [], "added": []}
    skipped = 0
    for row in rows:
        skipped += row.count
        for side in ("removed", "added"):
            if row.kind in ("same", side):
                told[side].append(text_of(row.runs))
    assert len(told["removed"]) + skipped == len(old) and len(told["added"]) + skipped == len(new)
    if not skipped:
        assert (told["removed"], told["added"]) == (old, new)
    assert 2 * same <= sum(map(len, old + new))


@given(st.text(max_size=200), st.text(max_size=200))
def test_the_words_tell_both_lines(old, new):
    """The runs of two lines are the lines, and what is the same is the same in both."""
    removed, added, same = compare_words(old, new)
    assert (text_of(removed), text_of(added)) == (old, new)
    alike = [[text for changed, text in runs if not changed] for runs in (removed, added)]
    assert alike[0] == alike[1] and sum(map(len, alike[0])) == same


def test_long_stretches_that_are_the_same_are_skipped():
    """Only the lines next to what differs are told."""
    text = [f"line {number}" for number in range(1000)]
    rows, _ = compare_lines(text, [*text[:500], "new", *text[500:]])
    kinds = [row.kind for row in rows]
    assert kinds == ["skipped", *["same"] * CONTEXT, "added", *["same"] * CONTEXT, "skipped"]
    assert sum(row.count for row in rows) == 1000 - 2 * CONTEXT


def test_what_is_told_is_bounded():
    """Of two long texts with nothing in common a bounded part is told, and said to be."""
    old = b"<p>".join(b"a%d" % number for number in range(3000))
    told = compared(old, old.replace(b"a", b"b"))
    assert len(told.rows) == ROWS_LIMIT and told.cut
