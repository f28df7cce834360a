"""What the web names stays text in every part of a page, and is shown in bounds."""

from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from agents.capture import Capture
from agents.consultation.faults.missing import Hole
from agents.consultation.harbor import calendar, captures
from agents.consultation.harbor.days import by_day
from agents.consultation.harbor.parts import SHOWN, holes_table, shown, table, url_link
from agents.consultation.harbor.view import View
from agents.consultation.harbor.words import LANGUAGES, Words

OLD, NEW = "20200101000000000000", "20260101000000000000"
hostile = st.text(max_size=60).map(lambda text: f"http://a.example/{text}\"'><script>{text}")
views = st.sampled_from(LANGUAGES).flatmap(
    lambda language: st.booleans().map(
        lambda through: View(Words(language), "/", through, "a:1", "t", OLD)
    )
)


def tree(inside):
    """Return a part of a page as elements, as a browser reads them."""
    return html.fromstring(f"<main>{inside}</main>")


@given(views, hostile, st.text(max_size=20))
def test_a_hole_stays_text(view, url, code):
    """URL, page and kind of what is missing are no markup."""
    part = tree(holes_table(view, [Hole(url, 404, code, url, NEW)], "key"))
    assert not part.xpath("//script") and len(part.xpath("//tbody/tr/td")) == 5


@given(views, hostile, st.binary(max_size=60))
def test_a_capture_stays_text(view, url, head):
    """URL and head of a capture are no markup, in the list and in the calendar."""
    type_field = b"HTTP/1.1 200 OK\r\nContent-Type: <script>" + head
    lines = [Capture(url, date, "<script>", 1, 200, type_field) for date in (OLD, NEW)]
    chosen = captures._shown(lines, "", OLD, 1)
    for main in (
        captures._main(view, url, "", chosen),
        calendar._main(view, url, by_day(lines), ""),
    ):
        part = tree(main)
        assert not part.xpath("//script")
        kept = part.xpath("//input[@name='url'][@type='hidden']/@value")
        assert kept and all(value.startswith("http://a.example/") for value in kept)


@given(st.text(max_size=2000))
def test_a_long_url_is_shown_in_part(text):
    """What is shown of a URL is bounded; the link holds it whole."""
    assert len(shown(text)) <= SHOWN
    assert not tree(url_link(text)).xpath("//script")


def test_a_table_without_rows_is_a_table():
    """The number of columns does not depend on the rows."""
    assert tree(table("key", [], [])).xpath("//table")
