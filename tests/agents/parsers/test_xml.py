"""XML of any kind, by its root."""

import pytest

from agents.parsers.xml import LOOKS, root_of

XLINK = "xmlns:l='http://www.w3.org/1999/xlink'"


@pytest.mark.parametrize(
    ("document", "pages", "components"),
    [
        ("<rss><item><link>/a</link></item></rss>", ["/a"], []),
        ("<urlset><url><loc>/a</loc></url></urlset>", ["/a"], []),
        ("<playlist xmlns='http://xspf.org/ns/0/'><info>/a</info><image>b</image></playlist>",
         ["/a"], ["b"]),
        ("<MPD><BaseURL>a/</BaseURL><Representation><BaseURL>b</BaseURL></Representation></MPD>",
         [], ["a/b"]),
        ("<smil><img src='a'/></smil>", [], ["a"]),
        ("<svg xmlns='http://www.w3.org/2000/svg'><image href='a'/></svg>", [], ["a"]),
        ("<html xmlns='http://www.w3.org/1999/xhtml'><a href='/a'/><img src='b'/></html>",
         ["/a"], ["b"]),
        ("<asx><moreinfo href='/a'/><logo href='b'/></asx>", ["/a"], ["b"]),
        ("<rsd><service><homePageLink>/a</homePageLink></service></rsd>", ["/a"], []),
        ("<browserconfig><msapplication><tile><square70x70logo src='a.png'/></tile></msapplication>"
         "</browserconfig>", [], ["a.png"]),
        ("<o:OpenSearchDescription xmlns:o='http://a9.com/-/spec/opensearch/1.1/'><o:Image>i.png"
         "</o:Image><o:Url template='/s?q={searchTerms}'/><o:Url template='/s.xml'/>"
         "</o:OpenSearchDescription>", ["/s.xml"], ["i.png"]),
        (f"<x {XLINK}><y l:href='/a'/><z l:href='b' l:show='embed'/></x>", ["/a"], ["b"]),
        ("<?xml-stylesheet href='a.xsl'?><x xml:base='/b/'><a href='c'/></x>", ["/b/c"], ["a.xsl"]),
        ("<s:stylesheet xmlns:s='http://www.w3.org/1999/XSL/Transform'><s:import href='a.xsl'/>"
         "</s:stylesheet>", [], ["a.xsl"]),
        ("<x>http://example.org/</x>", [], []),
        ("", [], []),
    ],
)  # fmt: skip
def test_roots(read, document: str, pages: list[str], components: list[str]) -> None:
    """The root element tells which parser reads a document; others are read for XLink."""
    for before in ("", "<?xml version='1.0'?>\n<!-- " + "x" * 5000 + " -->\n"):
        found = read("xml", before + document)
        assert (found.pages, found.components) == (pages, components)


def test_no_root(read) -> None:
    """A document without a root, however long, gives nothing."""
    assert not read("xml", "<!-- http://a.example/ " + "x" * 2 * LOOKS[-1]).links
    assert root_of(b"<rss versi", None) is None


def test_utf16(read) -> None:
    """The root is found in any encoding."""
    feed = "<?xml version='1.0' encoding='utf-16'?><rss><item><link>/é</link></item></rss>"
    assert read("xml", feed.encode("utf-16")).pages == ["/é"]
