"""Sitemaps."""

import gzip

import pytest

SITEMAP = """\
<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
 xmlns:v="http://www.google.com/schemas/sitemap-video/1.1"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
 xmlns:xhtml="http://www.w3.org/1999/xhtml">
 <url><loc>
   https://example.org/a?x=1&amp;y=2
 </loc><lastmod>2020-01-01</lastmod><changefreq>daily</changefreq>
  <xhtml:link rel="alternate" hreflang="de" href="https://example.org/de/a"/>
  <image:image><image:loc>https://cdn.example.org/a.jpg</image:loc></image:image>
  <v:video><v:thumbnail_loc>https://cdn.example.org/t.jpg</v:thumbnail_loc>
   <v:content_loc>https://cdn.example.org/v.mp4</v:content_loc>
   <v:player_loc allow_embed="yes">https://example.org/player?v=1</v:player_loc></v:video>
  <news:news><news:publication><news:name>The News</news:name></news:publication>
   <news:title>Today</news:title></news:news></url>
 <url><loc><![CDATA[https://example.org/b?x=1&y=2]]></loc></url>
</urlset>
"""
INDEX = """\
<sitemapindex xmlns="http://www.google.com/schemas/sitemap/0.84">
<sitemap><loc>http://example.org/1.xml.gz</loc></sitemap><sitemap><loc>/2.xml</loc></sitemap>
</sitemapindex>
"""
URLS = [
    "https://example.org/de/a", "https://cdn.example.org/a.jpg", "https://cdn.example.org/t.jpg",
    "https://cdn.example.org/v.mp4", "https://example.org/player?v=1",
]  # fmt: skip


@pytest.mark.parametrize("name", ["sitemap", "xml"])
def test_a_sitemap(read, name: str) -> None:
    """Pages, other languages, pictures and films are pages; spaces around them do not count."""
    found = read(name, SITEMAP)
    assert found.pages == ["https://example.org/a?x=1&y=2", *URLS, "https://example.org/b?x=1&y=2"]
    assert not found.components
    assert found.text == "The News\nToday\n"


def test_an_index(read) -> None:
    """The sitemaps of an index are components, whatever namespace it chose."""
    found = read("sitemap", INDEX)
    assert found.components == ["http://example.org/1.xml.gz", "/2.xml"]
    assert not any(link.requisite for link in found.links)


def test_compressed_sitemaps(read) -> None:
    """A compressed sitemap is read, in XML, as a feed or as text."""
    assert read("gzip", gzip.compress(INDEX.encode()), url="http://example.org/s.xml.gz").links
    text = gzip.compress(b"http://example.org/a\nhttp://example.org/b\n")
    assert read("gzip", text, url="http://example.org/s.txt.gz").pages == [
        "http://example.org/a", "http://example.org/b",
    ]  # fmt: skip
    feed = gzip.compress(b"<?xml version='1.0'?><rss><item><link>/a</link></item></rss>")
    assert read("gzip", feed, url="http://example.org/s").pages == ["/a"]


def test_other_compressed_files(read) -> None:
    """What no parser knows, a broken file and one within another give nothing or what there is."""
    assert not read("gzip", gzip.compress(b"ustar" + bytes(5000) + b"http://a.example/ ")).links
    assert not read("gzip", gzip.compress(gzip.compress(b"http://a.example/"))).links
    assert not read("gzip", b"http://a.example/").links
    body = gzip.compress(SITEMAP.encode() * 20)
    assert read("gzip", body[:-40], url="http://example.org/s.xml.gz").pages
