"""What a path under /web/ asks for."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import dates
from agents.consultation.replay.places import PART, RAW, InvalidPlace, Place, path
from agents.urls import canonical

URL = "http://www.example.org/a?b=1"
DATE = "20261121073000123456"


@pytest.mark.parametrize(
    ("target", "place"),
    [
        (f"/web/{DATE}/{URL}", Place(DATE, "", URL)),
        (f"/web/2026id_/{URL}", Place("2026", RAW, URL)),
        (f"/web/ir_/{URL}", Place("", PART, URL)),
        (f"/web/{URL}", Place("", "", URL)),
        ("/web/2026/www.example.org/a?b=1", Place("2026", "", URL)),
        ("/web/2026/http:/www.example.org/a?b=1", Place("2026", "", URL)),
        ("/web/2026/https:/www.example.org/", Place("2026", "", "https://www.example.org/")),
        ("/web/2026im_///www.example.org/a?b=1", Place("2026", "im_", URL)),
        ("/web/2026/http://www.example.org/go?to=http://other.example/",
         Place("2026", "", "http://www.example.org/go?to=http://other.example/")),
    ],
)  # fmt: skip
def test_a_path_names_a_date_a_form_and_a_url(target, place):
    """Dates may be short or lacking, and what servers make of two slashes is understood."""
    assert Place.of(target) == place


@pytest.mark.parametrize(
    "target", ["/web/", "/web/2026/", "/web/2026/http://", "/web/20269999/http://a.test/", "/other"]
)
def test_what_names_nothing_is_refused(target):
    """A path without a URL, or with a date that is none, is an error."""
    with pytest.raises(InvalidPlace):
        Place.of(target)


@given(st.text(max_size=200))
def test_any_text_is_a_place_or_refused(text):
    """Nothing that a client may write raises anything else."""
    try:
        place = Place.of(f"/web/{text}")
    except InvalidPlace:
        return
    assert canonical(place.url) == place.url


@given(
    st.datetimes(min_value=datetime(1990, 1, 1)).map(dates.from_datetime),
    st.sampled_from(["", RAW, PART, "mp_"]),
    st.from_regex(r"https?://[a-z]{1,9}\.test/[a-z0-9/._-]{0,30}(\?[a-z=&]{1,9})?", fullmatch=True),
)
def test_a_path_leads_back_to_its_place(date, modifier, written):
    """What is written is read again."""
    url = canonical(written)
    assert Place.of(path(date, modifier, url)) == Place(date, modifier, url)


def test_a_place_is_of_a_date_that_it_names_to_the_second():
    """Fourteen digits or more that begin the date name it; a year does not."""
    assert Place(DATE, RAW, URL).is_of(DATE)
    assert Place(DATE[:14], RAW, URL).is_of(DATE)
    assert not Place(DATE[:12], RAW, URL).is_of(DATE)
    assert not Place("20261121073001", RAW, URL).is_of(DATE)
