"""Which segments can be had by a manifest now."""

import time

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from anet.media.dash import Manifest, Period, Representation, is_over, next_look, tracks
from anet.media.dash.addressing import SEGMENT_LIMIT
from anet.media.dash.manifest import Listing, Run, Template
from anet.media.segments import Progress, Resource

BEGAN = 1_000_000.0


def manifest(addressing: Template | Listing, **said: object) -> Manifest:
    """Return a channel that began at `BEGAN`."""
    one = Representation(
        "r",
        "video",
        5,
        "",
        "",
        "",
        "http://e/",
        addressing if isinstance(addressing, Template) else None,
        addressing if isinstance(addressing, Listing) else None,
    )
    given = {"dynamic": True, "available": BEGAN, "update": 2.0, "depth": 10.0, **said}
    length = given.pop("length", None)
    return Manifest(periods=(Period("p", 0.0, length, (one,)),), **given)  # type: ignore[arg-type]


def names(found: Manifest, after: float) -> list[str]:
    """Return the URLs of the segments that can be had so long after the beginning."""
    (track,) = tracks(found, BEGAN + after)
    return [each.resource.url.removeprefix("http://e/") for each in track.window.segments]


def test_by_numbers_the_clock_tells_what_there_is() -> None:
    """Segments that are whole and not yet gone; some can be had before they are whole."""
    counted = Template("$Number$", duration=2, start=1)
    assert names(manifest(counted), 7.9) == ["1", "2", "3"]
    assert names(manifest(counted), 8.0) == ["1", "2", "3", "4"]
    assert names(manifest(counted), 30.0) == ["11", "12", "13", "14", "15"]
    assert names(manifest(counted), 0.0) == []
    assert names(manifest(counted), -50.0) == []
    assert names(manifest(evolve(counted, early=1.5)), 6.5) == ["1", "2", "3", "4"]
    assert names(manifest(counted, length=5.0), 9.0) == ["1", "2", "3"]


def test_a_timeline_tells_what_there_is() -> None:
    """Runs go on where the one before ended, or where they say; an open one goes to the next."""
    runs = (Run(100, 10, 1), Run(None, 5, 0), Run(200, 10, -1), Run(230, 7, 0))
    timed = Template("$Time$-$Number$", "init-$RepresentationID$", 10, runs=runs, start=4)
    (track,) = tracks(manifest(timed), BEGAN + 30)
    assert [each.resource.url for each in track.window.segments] == [
        f"http://e/{name}" for name in
        ["100-4", "110-5", "120-6", "200-7", "210-8", "220-9", "230-10"]
    ]  # fmt: skip
    first = track.window.segments[0]
    assert (first.duration, first.date, first.following) == (1.0, BEGAN + 10.0, 110)
    assert first.needs == (Resource("http://e/init-r"),)


def test_an_open_run_at_the_end_goes_to_now() -> None:
    """Without a next run, the clock tells where it ends, or the period."""
    timed = Template("$Time$", timescale=1, runs=(Run(0, 2, -1),))
    assert names(manifest(timed), 7.0) == ["0", "2", "4"]
    assert names(manifest(timed, length=4.0), 100.0) == ["0", "2"]


def test_identifiers_are_filled_in() -> None:
    """With leading zeros where they are wanted; two dollars are one, and unknown ones stay."""
    how = Template("$RepresentationID$/$Bandwidth%04d$/$Number%05d$$$$Else$", duration=1)
    assert names(manifest(how), 1.0) == ["r/0005/00001$$Else$"]


def test_of_a_day_that_can_be_had_only_what_is_new_is_worked_out() -> None:
    """However far back a listener may go, a look costs what it brings."""
    counted = Template("$Number$", duration=2)
    timed = Template("$Time$", timescale=1, runs=(Run(0, 2, 50_000),))
    for how in (counted, timed):
        progress = Progress(60.0)
        began = time.process_time()
        for turn in range(100):
            (track,) = tracks(manifest(how, depth=86400.0), BEGAN + 90_000 + 2 * turn)
            progress.read(track.window, 0.0)
        assert time.process_time() - began < 1.0


def test_lists_and_files_are_as_they_are() -> None:
    """All that is listed can be had."""
    listed = Listing((Resource("http://e/a"), Resource("http://e/b", 5, 5)), duration=3.0, start=7)
    (track,) = tracks(manifest(listed), BEGAN)
    assert [(each.number, each.duration) for each in track.window.segments] == [(7, 3.0), (8, 3.0)]
    assert track.window.segments[1].resource == Resource("http://e/b", 5, 5)


def test_a_channel_is_over_when_it_says_so() -> None:
    """Static, or at its end with no further manifest to come."""
    counted = Template("$Number$", duration=2)
    assert is_over(manifest(counted, dynamic=False), BEGAN)
    assert not is_over(manifest(counted), BEGAN + 1e9)
    ending = manifest(counted, update=None, duration=60.0)
    assert not is_over(ending, BEGAN + 59)
    assert is_over(ending, BEGAN + 61)


def test_when_to_look_again() -> None:
    """The manifest as often as it says, but not more than once a second; the clock for numbers."""
    counted, timed = Template("$Number$", duration=6), Template("$Time$", runs=(Run(0, 6, 0),))
    assert next_look(manifest(counted, update=None)) == (3.0, None)
    assert next_look(manifest(counted, update=500.0)) == (3.0, 300.0)
    assert next_look(manifest(timed)) == (2.0, 2.0)
    assert next_look(manifest(timed, update=0.0)) == (1.0, 1.0)


def test_a_channel_that_began_anew_has_another_epoch() -> None:
    """By the time when it began."""
    counted = Template("$Number$", duration=2)
    before, after = (
        tracks(manifest(counted, available=began), BEGAN + 50)[0].window.epoch
        for began in (BEGAN, BEGAN + 10)
    )
    assert before != after


_numbers = st.integers(0, 2**63 - 1)


@given(
    st.builds(
        Template,
        st.sampled_from(["$Number$", "$Time$"]),
        timescale=st.one_of(st.integers(1, 10**9), st.just(1)),
        duration=_numbers,
        start=_numbers,
        offset=_numbers,
        early=st.floats(0, 1e9),
        runs=st.lists(
            st.builds(Run, st.none() | _numbers, _numbers, st.integers(-1, 2**63 - 1)), max_size=4
        ).map(tuple),
    ),
    st.floats(-1e10, 1e10),
    st.none() | st.floats(0, 3e9),
)
@settings(max_examples=30)  # some have as many segments as there may be
def test_whatever_a_manifest_says_segments_are_bounded(
    how: Template, after: float, depth: float | None
) -> None:
    """Never more than the limit, in the order of their numbers, and each of some length."""
    (track,) = tracks(manifest(how, depth=depth), BEGAN + after)
    found = track.window.segments
    assert len(found) <= SEGMENT_LIMIT
    if not how.runs:
        assert all(one.following == two.number for one, two in zip(found, found[1:], strict=False))
    assert all(each.duration >= 0 for each in found)
