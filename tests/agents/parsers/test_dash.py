"""MPEG-DASH manifests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.dash import SEGMENT_LIMIT
from agents.parsers.dash_segments import seconds

FILM = """\
<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT0M10.5S">
 <BaseURL>https://cdn.example.org/film/</BaseURL><BaseURL>https://other.example.org/</BaseURL>
 <Period>
  <AdaptationSet mimeType="video/mp4">
   <SegmentTemplate timescale="1000" duration="4000" startNumber="5"
     initialization="$RepresentationID$/init.mp4" media="$RepresentationID$/$Number%03d$-$$.m4s"/>
   <Representation id="v1" bandwidth="500"/>
   <Representation id="v2" bandwidth="900"><BaseURL>hd/</BaseURL></Representation>
  </AdaptationSet>
  <AdaptationSet mimeType="audio/mp4">
   <SegmentTemplate timescale="10" media="a-$Bandwidth$-$Time$.m4s">
    <SegmentTimeline><S t="100" d="20" r="2"/><S d="30"/></SegmentTimeline></SegmentTemplate>
   <Representation id="a" bandwidth="64"/>
  </AdaptationSet>
  <AdaptationSet><Representation id="s"><BaseURL>subtitles.vtt</BaseURL></Representation>
  </AdaptationSet>
  <AdaptationSet><Representation id="l"><SegmentList>
    <Initialization sourceURL="l/init.mp4"/><SegmentURL media="l/1.m4s"/>
    <SegmentURL media="l/2.m4s" index="l/2.idx"/></SegmentList></Representation></AdaptationSet>
 </Period>
</MPD>
"""
LIVE = """\
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="dynamic" minimumUpdatePeriod="PT2S">
 <Location>live.mpd?session=1</Location>
 <Period start="PT0S"><AdaptationSet>
  <SegmentTemplate initialization="i.mp4" media="$Number$.m4s" startNumber="7" timescale="1">
   <SegmentTimeline><S t="0" d="2" r="1"/></SegmentTimeline></SegmentTemplate>
  <Representation id="1"/></AdaptationSet>
  <AdaptationSet><SegmentTemplate media="x$Number$" duration="2"/><Representation id="2"/>
  </AdaptationSet></Period></MPD>
"""


def test_a_film(read) -> None:
    """Templates by number and by time, lists, and single files are expanded."""
    found = read("dash", FILM)
    cdn = "https://cdn.example.org/film/"
    assert found.components == [
        *(cdn + name for name in ("v1/init.mp4", "v1/005-$.m4s", "v1/006-$.m4s", "v1/007-$.m4s")),
        *(cdn + "hd/" + name
          for name in ("v2/init.mp4", "v2/005-$.m4s", "v2/006-$.m4s", "v2/007-$.m4s")),
        *(f"{cdn}a-64-{time}.m4s" for time in (100, 120, 140, 160)),
        cdn + "subtitles.vtt",
        *(cdn + name for name in ("l/1.m4s", "l/2.m4s", "l/2.idx", "l/init.mp4")),
    ]  # fmt: skip
    assert not found.streams
    assert all(link.requisite for link in found.links)


def test_a_live_stream(read) -> None:
    """A live manifest is a stream; only a timeline says which segments there are."""
    found = read("dash", LIVE)
    assert found.components == ["i.mp4", "7.m4s", "8.m4s"]
    assert [url for url, _ in found.streams] == ["live.mpd?session=1", "https://example.org/a/b"]


def test_a_repeat_to_the_end(read) -> None:
    """A run that repeats until the next one, or to the end of the period."""
    manifest = (
        '<MPD mediaPresentationDuration="PT9S"><Period><Representation id="1">'
        '<SegmentTemplate media="$Time$"><SegmentTimeline><S t="0" d="2" r="-1"/>'
        '<S t="5" d="2" r="-1"/></SegmentTimeline></SegmentTemplate></Representation></Period>'
        "</MPD>"
    )
    assert read("dash", manifest).components == ["0", "2", "4", "5", "7"]


@pytest.mark.parametrize(
    "template",
    [
        '<SegmentTemplate media="$Number$" duration="1" timescale="999999999999"/>',
        '<SegmentTemplate media="$Number%099d$"><SegmentTimeline>'
        + '<S d="1" r="99999999999999999"/>' * 20
        + "</SegmentTimeline></SegmentTemplate>",
        '<SegmentTemplate media="' + "$RepresentationID$" * 5000 + '" duration="1"/>',
        '<SegmentTemplate media="$Time$"><SegmentTimeline><S d="0" r="-1"/></SegmentTimeline>'
        "</SegmentTemplate>",
    ],
)
def test_bombs(read, template: str) -> None:
    """A small manifest that means endless segments is read up to a limit, and that is told."""
    manifest = (
        '<MPD mediaPresentationDuration="P9999Y">'
        + f'<Representation id="{"x" * 1000}">{template}</Representation>' * 3
        + "</MPD>"
    )
    found = read("dash", manifest)
    assert len(found.links) <= SEGMENT_LIMIT
    assert max((len(link.url) for link in found.links), default=0) < 20_000


@pytest.mark.parametrize(
    ("text", "length"),
    [("PT1H2M3.5S", 3723.5), ("P1DT1S", 86401), ("PT", 0), ("", 0), ("PT1.2.3S", 0), ("x", 0)],
)
def test_seconds(text: str, length: float) -> None:
    """Durations of XML are told in seconds; what is none has none."""
    assert seconds(text) == length


@given(st.text(alphabet="PT0123456789.HMSDY", max_size=30))
def test_any_duration(text: str) -> None:
    """No text raises."""
    assert seconds(text) >= 0
