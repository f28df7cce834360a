"""News feeds of all kinds."""

RSS = """\
<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/xsl" href="/feed.xsl"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:a10="http://www.w3.org/2005/Atom" xmlns:m="http://search.yahoo.com/mrss/"
 xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">
<channel>
 <title>The News</title><link>https://example.org/</link>
 <description>All of it</description>
 <a10:link rel="self" type="application/rss+xml" href="https://example.org/feed"/>
 <a10:link rel="next" href="?page=2"/><a10:link rel="hub" href="https://hub.example.org/"/>
 <image><url>https://example.org/logo.gif</url><link>https://example.org/</link></image>
 <itunes:image href="cover.jpg"/>
 <item>
  <title>One &amp; two &nbsp;</title>
  <link>https://example.org/1?a=1&b=2</link>
  <guid isPermaLink="false">tag:example.org,2020:1</guid>
  <comments>https://example.org/1#comments</comments>
  <enclosure url="https://media.example.org/1.mp3" length="1" type="audio/mpeg"/>
  <description>&lt;p&gt;Hello &lt;a href="/x"&gt;x&lt;/a&gt;&lt;/p&gt;</description>
  <content:encoded><![CDATA[<p>Long & <img src="p.png"></p>]]></content:encoded>
  <m:content url="https://media.example.org/1.jpg" medium="image"/>
  <m:group><m:content url="https://media.example.org/1.mp4" type="video/mp4"/>
   <m:thumbnail url="t.jpg"/></m:group>
 </item>
 <item><link>/2</link><title>Late title</title><guid>https://example.org/?p=2</guid></item>
</channel></rss>
"""
RDF = """\
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="http://example.org/index.rdf"><title>Old</title>
 <link>http://example.org/</link><image rdf:resource="http://example.org/i.png"/>
 <items><rdf:Seq><rdf:li rdf:resource="http://example.org/1"/></rdf:Seq></items></channel>
<item rdf:about="http://example.org/1"><title>First</title><link>http://example.org/1?r</link>
 <dc:creator>Anna</dc:creator></item>
</rdf:RDF>
"""
ATOM = """\
<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://example.org/blog/">
 <title type="text">Blog</title><link href="."/><link rel="self" href="feed.atom"/>
 <link rel="prev-archive" href="2003.atom"/><link rel="edit" href="edit"/>
 <icon>icon.png</icon><id>http://example.org/blog/</id>
 <author><name>Anna</name><uri>/anna</uri></author>
 <entry xml:base="2004/">
  <title>Entry</title><link href="1.html"/>
  <link rel="enclosure" type="audio/mpeg" href="1.mp3" title="Listen"/>
  <link rel="replies" type="application/atom+xml" href="1.atom"/>
  <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
   <p title="&quot;q&quot;">A &lt; B <a href="2.html">two</a></p></div></content>
 </entry>
 <entry><title type="html">T &amp;lt;</title><content src="out.pdf" type="application/pdf"/>
  <summary type="html">&lt;img src=s.png&gt;</summary></entry>
</feed>
"""
OPML = """\
<opml version="2.0"><head><title>Mine</title></head><body><outline text="News">
<outline type="rss" text="A" xmlUrl="http://a.example/rss" htmlUrl="http://a.example/"/>
</outline></body></opml>
"""


def test_rss(read) -> None:
    """Items, enclosures, media, pages of the feed, pictures, and HTML within."""
    found = read("feed", RSS)
    assert found.pages == [
        "https://example.org/", "https://example.org/feed", "?page=2",
        "https://example.org/1?a=1&b=2", "https://example.org/1", "https://media.example.org/1.mp3",
        "https://media.example.org/1.mp4", "/2", "https://example.org/?p=2",
    ]  # fmt: skip
    assert found.components == [
        "/feed.xsl", "https://example.org/logo.gif", "cover.jpg",
        "https://media.example.org/1.jpg", "t.jpg",
    ]  # fmt: skip
    assert {link.url for link in found.links if link.feed} == {
        "https://example.org/feed",
        "?page=2",
    }
    assert found.texts["https://example.org/1?a=1&b=2"] == "One & two"
    assert found.texts["/2"] == "Late title"
    assert found.texts["https://example.org/"] == found.texts["?page=2"] == "The News"
    assert found.embedded == [
        '<p>Hello <a href="/x">x</a></p>', '<p>Long & <img src="p.png"></p>',
    ]  # fmt: skip
    assert "All of it\n" in found.text


def test_rdf(read) -> None:
    """RSS 1.0 says its items twice, and both are links."""
    found = read("feed", RDF)
    assert found.pages == ["http://example.org/1", "http://example.org/", "http://example.org/1?r"]
    assert found.components == ["http://example.org/i.png"]
    assert found.texts["http://example.org/"] == "Old"
    assert found.texts["http://example.org/1"] == found.texts["http://example.org/1?r"] == "First"
    assert "Anna\n" in found.text


def test_atom(read) -> None:
    """Links by their relations, relative to `xml:base`; XHTML put together again."""
    found = read("feed", ATOM)
    blog = "http://example.org/blog/"
    assert found.pages == [
        blog, blog + "feed.atom", blog + "2003.atom", "http://example.org/anna",
        blog + "2004/1.html", blog + "2004/1.mp3", blog + "2004/1.atom",
    ]  # fmt: skip
    assert found.components == [blog + "icon.png", blog + "out.pdf"]
    feeds = {link.url for link in found.links if link.feed}
    assert feeds == {blog + "feed.atom", blog + "2003.atom", blog + "2004/1.atom"}
    assert found.texts[blog + "2004/1.mp3"] == "Listen"
    assert found.texts[blog + "2004/1.html"] == "Entry"
    xhtml, summary = found.embedded
    assert xhtml.startswith(f'<base href="{blog}2004/"><div')
    assert '<a href="2.html">two</a>' in xhtml
    assert "&quot;q&quot;" in xhtml
    assert "A &lt; B" in xhtml
    assert summary == f'<base href="{blog}"><img src=s.png>'


def test_opml(read) -> None:
    """A list of feeds leads to each, and to its page."""
    found = read("feed", OPML)
    assert found.pages == ["http://a.example/rss", "http://a.example/"]
    assert [link.feed for link in found.links] == [True, False]


def test_broken_feeds(read) -> None:
    """A feed with tags that do not match, and one that breaks off, is read as far as it goes."""
    broken = "<rss><channel><item><title>A</titel><link>/1</link></item><item><link>/2</link>"
    found = read("feed", broken)
    assert found.pages == ["/1", "/2"]
    assert read("feed", RSS[: RSS.index("</channel>")]).pages == read("feed", RSS).pages
    latin = RSS.replace("Hello", "Grüße").encode("latin-1").replace(b"UTF-8", b"iso-8859-1")
    assert "Grüße" in read("feed", latin).embedded[0]
