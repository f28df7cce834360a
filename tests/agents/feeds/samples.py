"""Feeds as they are met on the web, each of another form, with the same two entries."""

PAGES = ["https://example.org/one", "https://example.org/two?a=1&b=2"]

RSS_090 = b"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns="http://my.netscape.com/rdf/simple/0.9/">
  <channel><title>News</title><link>https://example.org/</link></channel>
  <image><title>A picture</title><url>https://example.org/p.png</url></image>
  <item><title>One</title><link>https://example.org/one</link></item>
  <item><title>Two</title><link>https://example.org/two?a=1&amp;b=2</link></item>
</rdf:RDF>"""

RSS_091 = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN"
  "http://my.netscape.com/publish/formats/rss-0.91.dtd">
<rss version="0.91"><channel>
  <title>News</title><link>https://example.org/</link><language>fr</language>
  <skipHours><hour>24</hour><hour>7</hour></skipHours>
  <skipDays><day>Sunday</day></skipDays>
  <item><title>Caf\xe9</title><link>https://example.org/one</link></item>
  <item><title>Two</title><link> https://example.org/two?a=1&amp;b=2 </link></item>
</channel></rss>"""

RSS_10 = b"""<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
         xmlns:dc="http://purl.org/dc/elements/1.1/"
         xmlns:sy="http://purl.org/rss/1.0/modules/syndication/">
  <channel rdf:about="https://example.org/feed">
    <title>News</title><link>https://example.org/</link>
    <sy:updatePeriod>hourly</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>
    <items><rdf:Seq><rdf:li resource="https://example.org/one"/></rdf:Seq></items>
  </channel>
  <item rdf:about="https://example.org/one"><title>One</title>
    <dc:date>2026-11-20T10:00:00+01:00</dc:date></item>
  <item rdf:about="urn:two"><title>Two</title><link>https://example.org/two?a=1&amp;b=2</link></item>
</rdf:RDF>"""

RSS_20 = b"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"
     xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
  <title><![CDATA[News]]></title><link>https://example.org/</link><ttl>60</ttl>
  <atom:link rel="self" href="https://example.org/feed"/>
  <atom:link rel="hub" href="https://hub.example/"/>
  <item><title>One</title><media:title>Not this</media:title>
    <guid isPermaLink="true">https://example.org/one</guid>
    <pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>
    <description>&lt;p&gt;Text&lt;/p&gt;</description></item>
  <item><title>Two</title><link>https://example.org/two?a=1&amp;b=2</link>
    <guid isPermaLink="false">2</guid><content:encoded><![CDATA[<p>More</p>]]></content:encoded>
  </item>
</channel></rss>"""

ATOM_03 = b"""<?xml version="1.0"?>
<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>News</title>
  <link rel="alternate" type="text/html" href="https://example.org/"/>
  <entry><title>One</title><link rel="alternate" href="https://example.org/one"/>
    <id>tag:1</id><issued>2026-11-20T09:00:00Z</issued><modified>2026-11-20T10:00:00Z</modified>
  </entry>
  <entry><title>Two</title><link rel="alternate" href="https://example.org/two?a=1&amp;b=2"/>
    <id>tag:2</id><modified>2026-11-20T10:00:00Z</modified></entry>
</feed>"""

ATOM_10 = b"""\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/sub/">
  <title type="html">News</title>
  <link rel="self" href="https://example.org/feed"/><link href="https://example.org/"/>
  <link rel="hub" href="https://hub.example/"/>
  <entry><title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">One</div></title>
    <link rel="replies" href="https://example.org/replies"/><link href="../one"/>
    <id>tag:1</id><updated>2026-11-20T10:00:00Z</updated></entry>
  <entry xml:base="https://example.org/"><title>Two</title>
    <link rel="enclosure" href="sound.mp3"/><link rel="alternate" href="two?a=1&amp;b=2"/>
    <id>tag:2</id><updated>2026-11-20T10:00:00Z</updated></entry>
</feed>"""

JSON_10 = b"""{"version": "https://jsonfeed.org/version/1", "title": "News",
 "home_page_url": "https://example.org/", "feed_url": "https://example.org/feed",
 "items": [
  {"id": 1, "url": "https://example.org/one", "title": "One", "content_text": "a"},
  {"id": "2", "external_url": "https://example.org/two?a=1&b=2", "title": "Two"}]}"""

JSON_11 = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "News",
 "home_page_url": "https://example.org/", "feed_url": "https://example.org/feed",
 "hubs": [{"type": "rssCloud", "url": "https://no.example/"},
          {"type": "WebSub", "url": "https://hub.example/"}],
 "items": [
  {"id": "1", "url": "https://example.org/one", "date_modified": "2026-11-20T10:00:00Z"},
  {"id": "2", "url": "/two?a=1&b=2", "title": null, "tags": 7}, "no object"]}"""

# Damage that is met: white space first, entities nobody declared, a bare ampersand, no end.
DAMAGED = b"""

<?xml version="1.0"?>
<rss version="2.0"><channel><title>News</title><link>https://example.org/</link>
  <item><title>One&nbsp;&eacute; & more</title><link>https://example.org/one</link></item>
  <item><title>Two</title><link>https://example.org/two?a=1&b=2</link>
  <description>cut off he"""

NO_NAMESPACE = b"""<feed><title>News</title><link href="https://example.org/"/>
  <entry><id>1</id><link href="https://example.org/one"/></entry>
  <entry><id>2</id><link>https://example.org/two?a=1&amp;b=2</link></entry></feed>"""

ALL = {
    "rss-0.90": RSS_090,
    "rss-0.91": RSS_091,
    "rss-1.0": RSS_10,
    "rss-2.0": RSS_20,
    "atom-0.3": ATOM_03,
    "atom-1.0": ATOM_10,
    "json-1.0": JSON_10,
    "json-1.1": JSON_11,
    "damaged": DAMAGED,
    "no-namespace": NO_NAMESPACE,
}
