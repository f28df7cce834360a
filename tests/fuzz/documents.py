"""Small documents of each format that a light parser reads, for fuzzing to begin with."""

import gzip
import zlib

# A movie that loads another and links to a page, behind the eight bytes that all begin with.
_MOVIE = bytes.fromhex(
    "7800055f00000fa000000c01001603830700612e737766000096050000620000009a0100000000"
)

DOCUMENTS: dict[str, list[bytes]] = {
    "asx": [b"<ASX><ENTRY><REF HREF='mms://a?b&c'/><Title>d</Title></Entry></ASX>"],
    "browserconfig": [b"<browserconfig><tile><TileImage src='a.png'/></tile></browserconfig>"],
    "css": [b"@import 'a'; b { background: url(c) } /* url(d) */"],
    "dash": [
        b"<MPD mediaPresentationDuration='PT4S'><Representation id='1'><BaseURL>a/</BaseURL>"
        b"<SegmentTemplate media='$Number$' duration='2'/></Representation></MPD>",
        b"<MPD type='dynamic'><Representation><SegmentTemplate media='$Time%04d$'><SegmentTimeline>"
        b"<S d='2' r='-1'/></SegmentTimeline></SegmentTemplate></Representation></MPD>",
    ],
    "feed": [
        b"<rss><item><title>a</title><link>/b</link><description>&lt;i>c</description></item></rss>",
        b"<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/a/'><entry><link href='b'/>"
        b"<content type='xhtml'><p c='d'>e<br/></p></content></entry></feed>",
    ],
    "flash": [
        b"FWS\x06\0\0\0\0" + _MOVIE,
        b"CWS\x06\0\0\0\0" + zlib.compress(_MOVIE),
    ],
    "gzip": [gzip.compress(b"<?xml version='1.0'?><urlset><loc>/a</loc></urlset>", mtime=0)],
    "html": [b"<!doctype html><base href='/a/'><a href=b>c</a><script>'</a>'</script><img src=d>"],
    "imagemap": [b'rect /a 0,0 1,1 "b"\ncircle (1,1) 5 c\nbase_uri http://d/\n'],
    "import-map": [b'{"imports": {"a": "/b", "c/": "./d/"}, "scopes": {"/": {"a": "../e"}}}'],
    "json": [b'{"url": "/a", "image": ["b.png"], "html": "<p>c</p>", "d": "http://e/"}'],
    "json-feed": [b'{"version": "https://jsonfeed.org/version/1", "items": [{"url": "a"}]}'],
    "json-ld": [b'{"@context": "https://schema.org", "image": {"url": "/a"}, "url": "/b"}'],
    "m3u": [
        b'#EXTM3U\n#EXTINF:-1 tvg-logo="a",b\nhttp://c/\n',
        b'#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-KEY:URI="a{$b}"\n#EXTINF:4,\nc.ts\n',
    ],
    "opensearch": [b"<OpenSearchDescription><Image>a</Image></OpenSearchDescription>"],
    "pls": [b"[playlist]\nFile1=http://a/\nTitle1=b\n"],
    "raw": [b"see (http://a/b_(c)), www.d.e.\r\nor rtsp://f/", b"\xff\xfew\0w\0w\0.\0a\0"],
    "real": [b"rtsp://a/b.rm\n--stop--\npnm://c\n", b".RMF\nd.rm"],
    "rsd": [b"<rsd><service><homePageLink>/a</homePageLink></service></rsd>"],
    "shortcut": [b"[InternetShortcut]\r\nURL=http://a/\r\nIconFile=http://b\r\n"],
    "rtf": [rb'{\rtf1\f0{\field{\*\fldinst HYPERLINK "a"}{\fldrslt \u233 ?\'e9}}{\pict\bin2 {}}}'],
    "sitemap": [b"<urlset><url><loc>/a?b&amp;c</loc><image:loc>d</image:loc></url></urlset>"],
    "smil": [b"<smil><meta name='base' content='/a/'/><audio src='b'/><img src='c'/></smil>"],
    "source-map": [b'{"version":3,"sourceRoot":"a","sources":["../b.js"],"mappings":""}'],
    "web-manifest": [b'{"icons": [{"src": "a"}], "start_url": "/b", "shortcuts": [{"url": "c"}]}'],
    "webvtt": [b"WEBVTT\n\n00:00.000 --> 00:01.000\na.jpg#xywh=0,0,1,1\n\n1 --> 2\n<v B>www.c.d"],
    "xhtml": [
        b"<html xmlns='http://www.w3.org/1999/xhtml'><a href='a'/><style>url(b)</style></html>"
    ],
    "xml": [
        b"<?xml-stylesheet href='a'?><!DOCTYPE b [<!ENTITY c 'd'>]><e xlink:href='f'>&c;&amp;</e>",
        b"\xff\xfe<\0r\0s\0s\0>\0<\0l\0i\0n\0k\0>\0a\0<\0",
    ],
    "xspf": [b"<playlist><track><location>a</location><title>b</title></track></playlist>"],
}
