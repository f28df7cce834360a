"""The parts of a page are read at the page's own date, and what is on screen is known."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.capture import Capture
from agents.consultation.asked import Asked
from agents.consultation.readers.reader import Reader
from agents.consultation.readers.screen import Screen, told
from agents.consultation.readers.screens import PAGES, PARTS, Screens

OLD, NEW, NEWER = (f"{year}0101{0:012d}" for year in (2010, 2020, 2021))
SITE = "http://a.example/"
PAGE = SITE + "page"
ANNA, BEN = Reader("~anna", "192.0.2.1"), Reader("~ben", "192.0.2.1")
NOBODY = Reader("192.0.2.1", "192.0.2.1")


class Clock:
    """Seconds that a test lets pass."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    """A clock that stands."""
    return Clock()


@pytest.fixture
def screens(clock):
    """Screens by the clock."""
    return Screens(clock)


def asked(url, referrer="", destination="image", reader=ANNA):
    """Return a request."""
    return Asked(url, reader, "", referrer, destination)


def capture(url, date=OLD, status=200, head=b"HTTP/1.1 200 OK\r\n\r\n"):
    """Return a capture."""
    return Capture(url, date, "0" * 64, 1, status, head)


def go(screens, url=PAGE, date=OLD, reader=ANNA, destination="document", referrer=""):
    """Give a reader a page."""
    screens.note(asked(url, referrer, destination, reader), capture(url, date))


def give(screens, url, referrer=PAGE, date=OLD, destination="image", reader=ANNA):
    """Give a reader's page a part."""
    screens.note(asked(url, referrer, destination, reader), capture(url, date))


@pytest.mark.parametrize("destination", ["image", "style", "script", "iframe", "empty", "other"])
@pytest.mark.parametrize("referrer", [PAGE, SITE, SITE + "pushed", ""])
def test_a_part_is_read_at_the_date_of_its_page(screens, destination, referrer):
    """By the page's URL, its origin, a name it gave itself, or as it comes right after."""
    go(screens)
    url = "http://cdn.example/x"
    assert screens.date_for(asked(url, referrer, destination)) == OLD
    give(screens, url, referrer, NEW, destination)
    (screen,) = screens.of(ANNA.key)
    assert [(part.url, part.date, part.destination) for part in screen.parts] == [
        (url, NEW, destination)
    ]


def test_parts_of_parts_belong_to_the_page(screens, clock):
    """The font of a style, and the picture in a frame; by origin too where no more is said."""
    go(screens)
    style = "http://cdn.example/style.css"
    give(screens, style, destination="style")
    clock.now = 3600.0
    for referrer in (style, "http://cdn.example/"):
        assert screens.date_for(asked("http://fonts.example/f", referrer, "font")) == OLD


@pytest.mark.parametrize("destination", ["document", "page"])
def test_a_link_is_followed_at_the_readers_date(screens, clock, destination):
    """Dates do not drift: what a reader goes to is no part of where they come from."""
    go(screens)
    clock.now = 5.0
    assert screens.date_for(asked(SITE + "next", PAGE, destination)) == ""
    go(screens, SITE + "next", NEW, destination=destination, referrer=PAGE)
    assert [screen.date for screen in screens.of(ANNA.key)] == [NEW, OLD]
    assert screens.date_for(asked(SITE + "x.png", SITE + "next")) == NEW
    assert screens.date_for(asked(SITE + "x.png", PAGE)) == OLD


def test_a_frame_that_is_not_called_one(screens, clock):
    """On http:// a page that comes while its referrer loads is taken for a frame of it."""
    go(screens, destination="page")
    clock.now = 1.0
    assert screens.date_for(asked(SITE + "frame", PAGE, "page")) == OLD
    give(screens, SITE + "frame", destination="page")
    assert len(screens.of(ANNA.key)) == 1


def test_a_redirection_takes_its_date_along(screens, clock):
    """The page it leads to is read at the date of the capture that leads there, and only that."""
    head = b"HTTP/1.1 301 Moved\r\nLocation: /there\r\n\r\n"
    screens.note(asked(PAGE, "", "document"), capture(PAGE, OLD, 301, head))
    assert screens.of(ANNA.key) == []
    assert screens.date_for(asked(SITE + "other", "", "document")) == ""
    assert screens.date_for(asked(SITE + "there", "", "document")) == OLD
    clock.now = 60.0
    assert screens.date_for(asked(SITE + "there", "", "document")) == ""


def test_a_redirection_without_a_head_leads_nowhere(screens):
    """What was stored may be anything."""
    screens.note(asked(PAGE, "", "document"), capture(PAGE, OLD, 302, b""))
    assert screens.date_for(asked(SITE + "there", "", "document")) == ""


def test_what_comes_late_without_a_referrer(screens, clock):
    """A service worker asks for its own origin; anything else is no part any more."""
    go(screens)
    clock.now = 60.0
    assert screens.date_for(asked(SITE + "data", "", "empty")) == OLD
    assert screens.date_for(asked("http://other.example/", "", "empty")) == ""


def test_a_program_is_on_no_page(screens):
    """It says neither what it wants nor whence, and reads at the date it chose."""
    go(screens)
    assert screens.date_for(asked(SITE + "x", "", "")) == ""


def test_what_is_missing_is_known(screens):
    """Until it is given after all."""
    go(screens)
    screens.missed(asked(SITE + "a.png", PAGE))
    screens.missed(asked(SITE + "a.png", PAGE))
    screens.missed(asked("http://b.example/", "", "document"))
    (screen,) = screens.of(ANNA.key)
    assert (screen.missing, screen.completeness) == ((SITE + "a.png",), 0.5)
    give(screens, SITE + "a.png")
    assert screens.of(ANNA.key)[0].missing == ()


def test_what_a_browser_asks_for_itself_is_missing_of_no_page(screens):
    """Whether it is online, what time it is: nobody referred to it, nor said what it is for."""
    go(screens)
    screens.missed(asked("http://browser.example/online", "", "other"))
    assert screens.of("~anna")[0].missing == ()
    screens.missed(asked(SITE + "a.js", PAGE, "other"))
    assert screens.of("~anna")[0].missing == (SITE + "a.js",)


def test_readers_have_screens_of_their_own(screens, clock):
    """A part without a cookie goes to who was seen last at its address, by its referrer."""
    go(screens, date=OLD, reader=ANNA)
    go(screens, date=NEW, reader=BEN)
    assert screens.date_for(asked(SITE + "x", PAGE, reader=ANNA)) == OLD
    assert screens.date_for(asked(SITE + "x", PAGE, reader=BEN)) == NEW
    clock.now = 1.0
    give(screens, SITE + "y", reader=ANNA)
    other = Reader("192.0.2.2", "192.0.2.2")
    assert screens.date_for(asked("http://cdn.example/x", SITE, reader=NOBODY)) == OLD
    assert screens.date_for(asked("http://cdn.example/x", SITE, reader=other)) == ""
    screens.forget(ANNA.key)
    assert screens.date_for(asked("http://cdn.example/x", SITE, reader=NOBODY)) == NEW
    assert screens.of(ANNA.key) == []


def test_the_spread_of_a_screen():
    """From the earliest to the latest of the page and its parts."""
    screens = Screens()
    go(screens, date=NEW)
    give(screens, SITE + "a", date=OLD)
    give(screens, SITE + "b", date=NEWER)
    (screen,) = screens.of(ANNA.key)
    spread = screen.spread
    assert (spread.earliest, spread.latest) == (OLD, NEWER)
    assert spread.seconds == (365 * 11 + 3) * 86400
    assert told(screen)["spread"] == spread.seconds and len(told(screen)["parts"]) == 2
    assert Screen(PAGE, OLD).spread.seconds == 0.0


URLS = st.sampled_from([f"http://{h}.example/{p}" for h in "ab" for p in ("", "x", "y" * 3000)])
READERS = st.sampled_from([ANNA, BEN, NOBODY, *(Reader(str(n), str(n % 3)) for n in range(20))])
STEPS = st.tuples(
    st.sampled_from(["note", "missed", "forget"]),
    st.builds(
        Asked, URLS, READERS, st.just(""), st.one_of(URLS, st.just("")),
        st.sampled_from(["document", "page", "image", "iframe", "other", ""]),
    ),
    st.sampled_from([200, 302]), st.floats(0, 20),
)  # fmt: skip


@given(st.lists(STEPS, max_size=60))
def test_memory_is_bounded_and_counted(steps):
    """Whatever comes, what is counted is what is there, and no more than allowed."""
    clock = Clock()
    screens = Screens(clock, memory=5000)
    for what, request, status, seconds in steps:
        clock.now += seconds
        screens.date_for(request)
        if what == "note":
            screens.note(request, capture(request.url, OLD, status))
        elif what == "missed":
            screens.missed(request)
        else:
            screens.forget(request.reader.key)
        pages = [page for seen in screens._readers.values() for page in seen.pages]
        assert screens._cost == sum(page.cost for page in pages)
        assert screens._cost <= 5000 or len(screens) == 1
        assert {key for at in screens._at.values() for key in at} == set(screens._readers)


def test_a_page_and_a_reader_have_limits(screens):
    """A page that never ends, and a reader who opens page after page."""
    for number in range(PAGES + 3):
        go(screens, f"{SITE}{number}")
    page = f"{SITE}{PAGES + 2}"
    for number in range(PARTS + 5):
        give(screens, f"{SITE}part/{number}", page)
    found = screens.of(ANNA.key)
    assert len(found) == PAGES and len(found[0].parts) == PARTS and found[0].unlisted == 5


def test_a_request_costs_next_to_nothing(screens):
    """Less than what a hundred look-ups in a dictionary cost, with all pages full."""
    for number in range(PAGES):
        go(screens, f"{SITE}{number}")
        for part in range(200):
            give(screens, f"{SITE}{number}/{part}", f"{SITE}{number}")
    request = asked(f"{SITE}0/17", f"{SITE}0")
    given = capture(request.url)
    begun = time.process_time()
    for _ in range(5000):
        screens.date_for(request)
        screens.note(request, given)
    ours = time.process_time() - begun
    table = {f"{SITE}{number}": number for number in range(1000)}
    begun = time.process_time()
    for _ in range(5000):
        for number in range(100):
            table.get(f"{SITE}{number}")
    assert ours < time.process_time() - begun
