"""Playlists: PLS, M3U, Real, ASX, XSPF and SMIL."""

import pytest

PLS = """\
[playlist]
NumberOfEntries=3
File1=http://ice1.example.org:8000/groove-128-mp3
Title1=Radio Groove (#1 - 12/500): A nicely chilled plate
Length1=-1
Title2=Second
file2=http://ice2.example.org/x?a=b#c
File3=C:\\Music\\song.mp3
File4=\\\\server\\song.mp3
File5=song one.mp3
Version=2
"""
WINAMP = """\
#EXTM3U
#EXTINF:123,Édith - Milord
http://example.org/milord.mp3
#EXTINF:-1 tvg-id="a,b" tvg-logo="http://example.org/logo.png" group-title="News",News, live
rtsp://example.org/news

http://example.org/untitled.mp3
D:\\x.mp3
"""
RAM = """\
# a comment
rtsp://real.example.org/news.rm?start="0:10"&title="News"
pnm://real.example.org/old.ra

http://example.org/show.smil
clip.rm
--stop--
rtsp://real.example.org/never.rm
"""
ASX = """\
<ASX version = "3.0">
 <TITLE>Radio & more</TITLE>
 <!-- <REF HREF="http://example.org/commented"> -->
 <BANNER HREF="http://example.org/banner.gif?a=1&b=2"><MoreInfo href="http://example.org/info"/>
   <ABSTRACT>A tip</ABSTRACT></BANNER>
 <Entry>
   <ref HREF = "mms://media.example.org/live?x=1&y=2" />
   <Title>The news</title>
   <Abstract>at nine &amp; ten</Abstract>
   <logo href='icon.gif' style="ICON"/>
 </Entry>
 <ENTRY><REF HREF="http://example.org/a > b.wmv"></ENTRY>
 <entryref href="http://example.org/more.asx"/>
</ASX>
"""
XSPF = """\
<?xml version="1.0" encoding="UTF-8"?>
<playlist version="1" xmlns="http://xspf.org/ns/0/">
  <title>Mix</title>
  <image>http://example.org/mix.jpg</image>
  <trackList xml:base="/music/">
    <track><location>song%201.ogg</location><title>Song &amp; dance</title>
      <info>http://example.org/song1</info><image>cover.jpg</image></track>
    <track><location>http://example.org/2.mp3</location><location>2.ogg</location></track>
  </trackList>
</playlist>
"""
SMIL = """\
<smil xmlns="http://www.w3.org/2001/SMIL20/Language"><head>
<meta name="base" content="rtsp://real.example.org/"/>
<layout><region id="a" backgroundImage="back.png"/></layout></head>
<body><par><audio src="song.rm" title="A song"/><img src="http://example.org/a.gif" region="a"/>
<a href="http://example.org/buy" show="new"><video src="film.rm"/></a>
<textstream src="words.rt"/></par></body></smil>
"""


def test_pls(read) -> None:
    """Entries are streams with their titles, in any order of lines; local files are left out."""
    assert read("pls", PLS).streams == [
        ("http://ice1.example.org:8000/groove-128-mp3",
         "Radio Groove (#1 - 12/500): A nicely chilled plate"),
        ("http://ice2.example.org/x?a=b", "Second"),
        ("song one.mp3", ""),
    ]  # fmt: skip


def test_m3u(read) -> None:
    """Entries are streams with the title before them."""
    for text, options in ((WINAMP.encode(), {}), (WINAMP.encode("latin-1"), {})):
        found = read("m3u", text, **options)
        assert found.streams == [
            ("http://example.org/milord.mp3", "Édith - Milord"),
            ("rtsp://example.org/news", "News, live"),
            ("http://example.org/untitled.mp3", ""),
        ]
        assert found.components == ["http://example.org/logo.png"]


def test_real(read) -> None:
    """A list of streams ends where it says so."""
    assert [url for url, _ in read("real", RAM).streams] == [
        'rtsp://real.example.org/news.rm?start="0:10"&title="News"',
        "pnm://real.example.org/old.ra",
        "http://example.org/show.smil",
        "clip.rm",
    ]


@pytest.mark.parametrize("beginning", [b".RMF\0\0\0\x12\n", b".ra\xfd\0\4\n"])
def test_recordings_of_real(read, beginning: bytes) -> None:
    """A recording under the same media type gives nothing."""
    assert not read("real", beginning + b"rtsp://a.example/b\nhttp://a.example/c.rm\n" * 9).links


def test_asx(read) -> None:
    """Entries are streams with title and abstract, whatever the case and the ampersands."""
    found = read("asx", ASX)
    assert found.streams == [
        ("mms://media.example.org/live?x=1&y=2", "The news at nine & ten"),
        ("http://example.org/a > b.wmv", ""),
        ("http://example.org/more.asx", ""),
    ]
    assert found.components == ["http://example.org/banner.gif?a=1&b=2", "icon.gif"]
    assert found.pages == ["http://example.org/info"]


def test_comments_of_asx(read) -> None:
    """A comment begins and ends where it does, even in a document that comes byte by byte."""
    long = '<ASX><entry><ref href="a.wma">' + " " * 2000 + "<title>b<!--><ref href=c>- --></title>"
    assert read("asx", long).streams == [("a.wma", "b")]


def test_other_forms_of_asx(read) -> None:
    """Lines of references are streams; a recording is nothing; a base is what it says."""
    lines = "[Reference]\r\nRef1=http://example.org/a?MSWMExt=.asf\r\nRef2=mms://b.example/\r\n"
    assert [url for url, _ in read("asx", lines).streams] == [
        "http://example.org/a?MSWMExt=.asf", "mms://b.example/",
    ]  # fmt: skip
    assert not read("asx", b"0&\xb2u\x8ef\xcf\x11" + b"<ref href='x.wmv'>" * 99).links
    based = '<asx><base href="http://example.org/a/"><entry><ref href="b.wma"></entry></asx>'
    assert read("asx", based).streams == [("http://example.org/a/b.wma", "")]


def test_xspf(read) -> None:
    """Tracks are streams with their titles, relative to `xml:base`."""
    found = read("xspf", XSPF)
    assert found.streams == [
        ("/music/song%201.ogg", "Song & dance"), ("http://example.org/2.mp3", ""),
        ("/music/2.ogg", ""),
    ]  # fmt: skip
    assert found.components == ["http://example.org/mix.jpg", "/music/cover.jpg"]
    assert found.pages == ["http://example.org/song1"]


def test_smil(read) -> None:
    """What is played is a stream, what is shown a component, what is clicked a page."""
    found = read("smil", SMIL)
    assert found.streams == [
        ("rtsp://real.example.org/song.rm", "A song"), ("rtsp://real.example.org/film.rm", ""),
        ("rtsp://real.example.org/words.rt", ""),
    ]  # fmt: skip
    assert found.components == ["rtsp://real.example.org/back.png", "http://example.org/a.gif"]
    assert found.pages == ["http://example.org/buy"]
