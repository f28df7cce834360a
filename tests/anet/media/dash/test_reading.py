"""Manifests of DASH, as the standard has them and as the web has them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anet.media.dash import Timing, read_manifest
from anet.media.dash.manifest import Listing, Run, Template
from anet.media.dash.values import duration
from anet.media.errors import NotAStream
from anet.media.segments import Resource

URL = "https://example.org/live/tv.mpd"
LIVE = b"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" xmlns:xlink="http://www.w3.org/1999/xlink"
  type="dynamic" availabilityStartTime="2026-11-22T07:00:00Z" minimumUpdatePeriod="PT2S"
  timeShiftBufferDepth="PT1M" suggestedPresentationDelay="PT10S">
  <!-- nothing --><?and nothing?>
  <BaseURL>https://cdn.example.org/tv/</BaseURL><BaseURL>https://other.example/</BaseURL>
  <Location>/moved/tv.mpd</Location>
  <Period id="ads" start="PT0S" duration="PT30S" xlink:href="https://evil.example/"/>
  <Period>
    <BaseURL>second/</BaseURL>
    <AdaptationSet contentType="video" lang="en">
      <SegmentTemplate timescale="1000" media="$RepresentationID$/$Time$.m4s" startNumber="5"
        initialization="$RepresentationID$/init.m4s" presentationTimeOffset="2000">
        <SegmentTimeline><S t="2000" d="2000" r="3"/><S d="1500"/></SegmentTimeline>
      </SegmentTemplate>
      <Representation id="hd" bandwidth="4000000" codecs="avc1" mimeType="video/mp4"/>
      <Representation id="sd" bandwidth="800000" mimeType="video/mp4">
        <BaseURL>sd/</BaseURL>
        <SegmentTemplate media="$Number%03d$.m4s" availabilityTimeOffset="1.5"/>
      </Representation>
    </AdaptationSet>
    <AdaptationSet mimeType="text/vtt">
      <Representation id="list" bandwidth="1">
        <SegmentList timescale="10" duration="40">
          <Initialization sourceURL="init" range="0-99"/>
          <SegmentURL media="a"/><SegmentURL media="all" mediaRange="100-199"/>
        </SegmentList>
      </Representation>
      <Representation id="file" bandwidth="1"><BaseURL>all.vtt</BaseURL></Representation>
      <Representation id="nothing" bandwidth="1"/>
    </AdaptationSet>
  </Period>
  <UTCTiming schemeIdUri="urn:mpeg:dash:utc:http-iso:2014" value="https://time.example/"/>
</MPD>"""


def test_a_live_manifest_says_when_and_where() -> None:
    """Times, periods that follow on each other, clocks and the place of the next manifest."""
    found = read_manifest(LIVE, URL)
    assert (found.dynamic, found.available, found.update) == (True, 1795330800.0, 2.0)
    assert (found.depth, found.duration) == (60.0, None)
    assert found.locations == ("https://example.org/moved/tv.mpd",)
    assert found.timings == (Timing("http-iso:2014", "https://time.example/"),)
    assert [(each.id, each.start, each.duration) for each in found.periods] == [
        ("ads", 0.0, 30.0),
        ("", 30.0, None),
    ]
    assert found.periods[0].representations == ()  # what lies elsewhere is not followed


def test_what_is_within_overrides_what_is_around() -> None:
    """Templates, base URLs and attributes are inherited, each by itself."""
    hd, sd, listed, file = read_manifest(LIVE, URL).periods[1].representations
    runs = (Run(2000, 2000, 3), Run(None, 1500, 0))
    media, first = "$RepresentationID$/$Time$.m4s", "$RepresentationID$/init.m4s"
    assert hd.template == Template(media, first, 1000, 0, 5, 2000, 0.0, runs)
    assert (hd.base, hd.kind, hd.language) == ("https://cdn.example.org/tv/second/", "video", "en")
    assert sd.template == Template("$Number%03d$.m4s", first, 1000, 0, 5, 2000, 1.5, runs)
    assert (sd.base, sd.bandwidth) == ("https://cdn.example.org/tv/second/sd/", 800000)
    base = "https://cdn.example.org/tv/second/"
    assert listed.listing == Listing(
        (Resource(base + "a"), Resource(base + "all", 100, 100)),
        Resource(base + "init", 0, 100),
        4.0,
        10,
    )
    assert (listed.kind, listed.set, hd.set) == ("text", 1, 0)
    assert file.listing == Listing((Resource(base + "all.vtt"),))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("PT1H2M3.5S", 3723.5), ("P1DT1S", 86401.0), ("PT0S", 0.0), ("PT.5S", None), ("P", None),
     ("", None), ("-PT1S", None), ("PT1E9S", None), ("PT999999999999S", 3153600000.0)],
)  # fmt: skip
def test_lengths_are_those_of_xml(text: str, seconds: float | None) -> None:
    """What is no length is none, and none is longer than a century."""
    assert duration(text) == seconds


BOMB = b'<!DOCTYPE MPD [<!ENTITY a "aaaaaaaaaa">%s]><MPD type="&j;">&j;</MPD>' % b"".join(
    b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in range(98, 107)
)


@pytest.mark.parametrize(
    "body",
    [b"", b"<", b"<rss/>", b"#EXTM3U", b"\0\0", BOMB, BOMB.decode().encode("utf-16"),
     b"<MPD><Period></MPD>", b'<?xml version="1.0" encoding="nonsense"?><MPD/>'],
)  # fmt: skip
def test_what_is_no_manifest_is_told(body: bytes) -> None:
    """Other texts, broken XML, and documents that declare entities."""
    began = time.process_time()
    with pytest.raises(NotAStream):
        read_manifest(body, URL)
    assert time.process_time() - began < 1.0


def test_an_entity_outside_is_never_read() -> None:
    """A document type is refused, whatever it says."""
    text = b'<!DOCTYPE MPD [<!ENTITY x SYSTEM "file:///etc/passwd">]><MPD>&x;</MPD>'
    with pytest.raises(NotAStream):
        read_manifest(text, URL)


_TAGS = LIVE.decode().split("\n")


@given(
    st.lists(
        st.one_of(
            st.sampled_from(_TAGS), st.from_regex(r'<(S|Period|BaseURL) [a-z]="[^<"&]{0,9}"/>')
        ),
        max_size=40,
    ),
    st.binary(max_size=9),
)
def test_whatever_comes_is_a_manifest_or_none(lines: list[str], tail: bytes) -> None:
    """Lines of manifests in any order give values, or the one error."""
    body = "\n".join(['<MPD type="dynamic">', *lines, "</MPD>"]).encode() + tail
    try:
        found = read_manifest(body, URL)
    except NotAStream:
        return
    assert all(each.start >= 0 for each in found.periods)


@given(
    st.dictionaries(
        st.sampled_from(
            ["type", "availabilityStartTime", "minimumUpdatePeriod", "timeShiftBufferDepth"]
        ),
        st.text(st.characters(categories=["L", "N", "P"], exclude_characters='<"&'), max_size=20),
    )
)  # fmt: skip
def test_attributes_that_make_no_sense_count_as_not_written(given_: dict[str, str]) -> None:
    """Whatever attributes say, there is a manifest."""
    said = " ".join(f'{name}="{value}"' for name, value in given_.items())
    found = read_manifest(f"<MPD {said}/>".encode(), URL)
    assert found.update is None or found.update >= 0


def test_of_a_long_timeline_the_last_runs_are_read() -> None:
    """Times and numbers are as if all were; an open run among the others lasts to the next."""
    runs = '<S t="100" d="10" r="4"/><S d="5" r="-1"/><S t="200" d="3" r="1"/>' + "<S d='7'/>" * 600
    (period,) = read_manifest(
        f"<MPD><Period><AdaptationSet><SegmentTemplate media='$Time$' startNumber='9'>"
        f"<SegmentTimeline>{runs}</SegmentTimeline></SegmentTemplate><Representation/>"
        "</AdaptationSet></Period></MPD>".encode(),
        URL,
    ).periods
    how = period.representations[0].template
    assert how is not None
    assert len(how.runs) == 500
    assert how.runs[0].start == 206 + 100 * 7
    assert how.start == 9 + 5 + 10 + 2 + 100


def test_of_many_periods_the_last_have_their_representations() -> None:
    """What is on the air now is in the last ones."""
    set_ = "<AdaptationSet><SegmentTemplate media='a'/>" + "<Representation/>" * 12
    found = read_manifest(
        f"<MPD>{f'<Period>{set_}</AdaptationSet></Period>' * 60}</MPD>".encode(), URL
    )
    counts = [len(each.representations) for each in found.periods]
    assert counts == [0] * 41 + [4] + [12] * 8


def test_large_manifests_cost_little() -> None:
    """Four megabytes of runs, segments, periods or depth are read within limits."""
    size = 4 * 2**20
    bodies = [
        b"<MPD><Period><AdaptationSet><SegmentTemplate media='a'><SegmentTimeline>"
        + b"<S d='1'/>" * (size // 10)
        + b"</SegmentTimeline></SegmentTemplate><Representation/></AdaptationSet></Period></MPD>",
        b"<MPD>" + b"<Period/>" * (size // 9) + b"</MPD>",
        b"<MPD><Period><AdaptationSet>"
        + b"<Representation><BaseURL>a</BaseURL></Representation>" * (size // 53)
        + b"</AdaptationSet></Period></MPD>",
    ]
    for body in bodies:
        began = time.process_time()
        found = read_manifest(body, URL)
        assert time.process_time() - began < 5.0
        assert sum(len(each.representations) for each in found.periods) <= 100
    with pytest.raises(NotAStream):
        read_manifest(b"<MPD>" + b"<a>" * (size // 3), URL)
