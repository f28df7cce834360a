"""Links and text of DOCX, XLSX and PPTX."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import Reading, assert_linear, damaged, read, sample, zipped

from agents.parsers.ooxml import OoxmlParser

_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def relations(**targets: str) -> str:
    """Return a file of relations, each `kind_number="target"`."""
    inside = "".join(
        f'<Relationship Id="{name.partition("_")[2]}" Type="{_RELATION}{name.partition("_")[0]}"'
        f' Target="{target}" TargetMode="External"/>'
        for name, target in targets.items()
    )
    return f"<Relationships>{inside}<Relationship Id='x' Target='styles.xml'/></Relationships>"


def document(inside: str, **targets: str) -> bytes:
    """Return a DOCX of a paragraph."""
    body = f'<w:document xmlns:w="w" xmlns:r="r"><w:body><w:p>{inside}</w:p></w:body></w:document>'
    return zipped({"word/document.xml": body, "word/_rels/document.xml.rels": relations(**targets)})


def told(reading: Reading) -> list[tuple[str, str, str]]:
    """Return kind, URL and text of each link."""
    return [(link.kind, link.url, link.text) for link in reading.links]


def test_a_document_of_an_office() -> None:
    """All links of a DOCX of LibreOffice are found with what they show."""
    reading = read(OoxmlParser, sample("links.docx"))
    assert told(reading) == [
        ("page", "http://example.org/page.html?a=1&b=2", "la page d’exemple"),
        ("page", "https://example.com/", "un autre site"),
        ("page", "http://example.org/ru", "ссылка"),
        ("page", "ftp://ftp.example.org/file.zip", "file"),
    ]
    assert "Voir la page d’exemple et un autre site.\nРусский текст, ссылка.\n" in reading.text


def test_a_table_and_a_slide_of_an_office() -> None:
    """Links and text of XLSX and PPTX are found likewise; text of templates is not."""
    reading = read(OoxmlParser, sample("links.xlsx"))
    assert ("page", "http://example.org/ru", "ссылка") in told(reading)
    assert "Русский текст" in reading.text
    reading = read(OoxmlParser, sample("deck.pptx"))
    assert told(reading) == [("page", "http://example.org/slide", "the slide")]
    assert reading.text == "See the slide\n"


@pytest.mark.parametrize(
    ("relation", "kind"),
    [("hyperlink_a", "page"), ("image_a", "component"), ("attachedTemplate_a", "component"),
     ("externalLinkPath_a", "page")],
)  # fmt: skip
def test_relations(relation: str, kind: str) -> None:
    """What a program loads with the document is a component; the rest, a person follows."""
    (link,) = read(OoxmlParser, document("", **{relation: "http://a/b"})).links
    assert (link.kind, link.requisite) == (kind, kind == "component")


def test_fields() -> None:
    """Links may be fields, whole or in parts."""
    parts = "".join(
        f"<w:r>{part}</w:r>"
        for part in (
            '<w:fldChar w:fldCharType="begin"/>',
            "<w:instrText>HYPERLINK </w:instrText>",
            '<w:instrText>"http://a/b"</w:instrText>',
            '<w:fldChar w:fldCharType="separate"/>',
            "<w:t>shown</w:t><w:tab/>",
            '<w:fldChar w:fldCharType="end"/>',
        )
    )
    simple = "<w:fldSimple w:instr='INCLUDEPICTURE \"c.png\"'><w:t>x</w:t></w:fldSimple>"
    reading = read(OoxmlParser, document(parts + simple))
    assert told(reading) == [("page", "http://a/b", "shown"), ("component", "c.png", "")]
    assert reading.text == "shown\tx\n"


def test_formulas() -> None:
    """Links of tables may be formulas."""
    sheet = '<worksheet><c><f>IF(A1,HYPERLINK("http://a/b","c"))</f><v>c</v></c></worksheet>'
    assert read(OoxmlParser, zipped({"xl/worksheets/sheet1.xml": sheet})).urls == ["http://a/b"]


def test_no_text() -> None:
    """Text and texts of links come only when wanted."""
    reading = read(OoxmlParser, sample("links.docx"), text=False)
    assert reading.text == ""
    assert {link.text for link in reading.links} == {""}
    assert len(reading.links) == 4


@settings(max_examples=60)
@given(st.sampled_from(["links.docx", "links.xlsx"]).flatmap(lambda name: damaged(sample(name))))
def test_damaged_documents(body: bytes) -> None:
    """No damage raises."""
    read(OoxmlParser, body)


@given(st.text("<>/wtpr:hyperlink =\"'&;a\0", max_size=200))
def test_any_part(inside: str) -> None:
    """No part raises."""
    read(OoxmlParser, document(inside, hyperlink_a="http://a/b"))


@pytest.mark.parametrize(
    "piece",
    ["<w:p>", "<w:t>a</w:t>", '<w:hyperlink r:id="a"><w:t>b</w:t>', "<", "&a;",
     '<w:fldChar w:fldCharType="begin"/>', "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<w:f>HYPERLINK("],
)  # fmt: skip
def test_hostile_documents_stay_linear(piece: str) -> None:
    """Four times the document takes about four times the time."""
    assert_linear(OoxmlParser, lambda size: document(piece * (size // len(piece))), 100_000)


def test_too_large() -> None:
    """A document over the limit is not read, as the directory of a zip file is at its end."""
    reading = read(OoxmlParser, document("") + b"\0" * OoxmlParser.limit)
    assert reading.parser.truncated
    assert not reading.findings
