"""A strip shows equal spans of time."""

from hypothesis import given
from hypothesis import strategies as st

from agents.page.strip import strip_html
from agents.page.values import Strip

LEGEND = {"good": "received", "bad": "not received", "quiet": "unknown"}


def test_spans_are_coloured_and_say_what_they_are() -> None:
    """The words are there for who points at a span, and for who reads by ear."""
    html = strip_html(Strip("Day", [("good", "10:00"), ("bad", "10:05")], ["10", "11"], LEGEND))
    assert html.count("<rect") == 2
    assert '<rect class="bad"' in html and "<title>10:05</title>" in html
    assert "Day: 1 received, 1 not received" in html
    assert "<span>10</span><span>11</span>" in html


def test_no_span_says_so() -> None:
    """An empty picture would look broken."""
    assert "Nothing yet" in strip_html(Strip("Day", [], [], LEGEND))


@given(st.lists(st.tuples(st.sampled_from(["good", "quiet"]), st.text()), max_size=700))
def test_any_words_are_shown_as_text(spans: list[tuple[str, str]]) -> None:
    """Nothing of them is markup, and there is an end."""
    html = strip_html(Strip("<b>", spans, ["<i>"], LEGEND))
    assert "<b>" not in html and "<i>" not in html
    assert html.count("<rect") == min(len(spans), 600)
