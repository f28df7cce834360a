"""Image maps of servers."""

NCSA = """\
# map of the campus
base http://example.org/maps/
default /index.html
rect library.html 0,0 99,49 "The Library"
circle "/dining hall.html" 150,150 150,100
poly http://other.example/park 10,10 20,30 5,40
point ../gate.html 5,5
rect referer 1,1 2,2
base_uri http://late.example/
"""
CERN = """\
default /campus.html
rectangle (10,10) (100,60) /library.html
circle (150,150) 50 http://other.example/dining
polygon (10,10) (20,30) ( 5,40 ) 9.html
def /late.html
"""


def test_ncsa(read) -> None:
    """The form of NCSA and Apache: URL first, base, texts."""
    found = read("imagemap", NCSA)
    assert found.base == "http://example.org/maps/"
    assert found.pages == [
        "/index.html", "library.html", "/dining hall.html", "http://other.example/park",
        "../gate.html",
    ]  # fmt: skip
    assert found.texts["library.html"] == "The Library"


def test_cern(read) -> None:
    """The form of CERN: URL last, coordinates in brackets."""
    assert read("imagemap", CERN).pages == [
        "/campus.html", "/library.html", "http://other.example/dining", "9.html", "/late.html",
    ]  # fmt: skip


def test_other_files_of_the_same_name(read) -> None:
    """A source map of scripts, which ends with `.map` too, gives nothing here."""
    assert not read("imagemap", '{"version":3,"sources":["a.js"],"mappings":"AAAA"}').links
