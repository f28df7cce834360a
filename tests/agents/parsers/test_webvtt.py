"""WebVTT."""

CAPTIONS = """\
WEBVTT - see http://example.org/not-a-cue

NOTE http://example.org/a-note

STYLE
::cue { color: red }

1
00:00.000 --> 00:04.000 line:0
<v Anna>Look at <i>www.example.org/a</i> &amp; laugh
- Yes

00:05.000 --> 00:09.000
Bye
"""
SPRITES = """\
WEBVTT\r
\r
00:00:00.000 --> 00:00:05.000\r
sprites/1.jpg#xywh=0,0,160,90\r
\r
00:00:05.000 --> 00:00:10.000\r
sprites/1.jpg#xywh=160,0,160,90\r
\r
00:00:10.000 --> 00:00:15.000\r
/thumbs/0003.png\r
"""


def test_captions(read) -> None:
    """What is spoken is text, and links in it are pages; the rest is not read."""
    found = read("webvtt", CAPTIONS)
    assert found.text == "Look at www.example.org/a & laugh\n- Yes\nBye\n"
    assert found.pages == ["http://www.example.org/a"]
    assert found.texts["http://www.example.org/a"] == "Look at"


def test_thumbnails(read) -> None:
    """Pictures of a track of thumbnails are components."""
    found = read("webvtt", SPRITES)
    assert found.components == ["sprites/1.jpg", "/thumbs/0003.png"]
    assert not found.text
