"""Forms and bars."""

import re

from agents.page import Bars, Field, Form, Page, render


def page_of(section) -> str:
    """Return a page with one section."""
    return render(Page("t", "k", "n", [section], live=False)).decode()


def test_a_form_is_sent_by_post_with_what_goes_with_it() -> None:
    """Fields have labels, a choice shows what stands in it, and the token is hidden."""
    fields = [
        Field("why", "Why", hint="for <its> story", required=True),
        Field("kind", "Kind", "b", [("a", "first"), ("b", "second")]),
    ]
    page = page_of(Form("Decide", "/sites/x/decide", "Do", fields, {"token": "123"}, "It sticks."))
    assert '<form class="box decide" method="post" action="/sites/x/decide"' in page
    assert '<input type="hidden" name="token" value="123">' in page
    assert '<option value="b" selected>second</option>' in page
    assert 'placeholder="for &lt;its&gt; story" required' in page
    labels = re.findall(r'<label for="([^"]+)"', page)
    assert len(labels) == 2 and all(f'id="{label}"' in page for label in labels)


def test_bars_are_as_high_as_their_counts() -> None:
    """The highest bar reaches no higher than the scale; none has a height of nothing."""
    page = page_of(Bars("Found", [("11-20", 5), ("11-21", 0), ("11-22", 10)], "sites"))
    heights = [float(each) for each in re.findall(r'<rect[^>]* height="([\d.]+)"', page)]
    assert heights == [60.0, 0.0, 120.0]
    assert "<title>11-20: 5 sites</title>" in page and "at most 10 sites" in page


def test_no_bars_say_so() -> None:
    """Nothing counted gives words instead of a picture."""
    assert "Nothing yet." in page_of(Bars("Found", []))
