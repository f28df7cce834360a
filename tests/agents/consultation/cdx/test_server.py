"""What the CDX server answers to each kind of client."""

import json
from urllib.parse import quote
from xml.etree import ElementTree

from pytest_twisted import ensureDeferred

from agents.capture import structure_key
from agents.consultation.access.rules import arranged
from agents.consultation.cdx import listing
from agents.consultation.errors import Faulted
from agents.consultation.faults.fault import Fault

URL = "http://example.org/a"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
MOVED = b"HTTP/1.1 301 Moved\r\nLocation: /a\r\n\r\n"
DATES = [f"20{year}0601120000000000" for year in (20, 22, 24)]


async def fill(served):
    """Put captures of four urlkeys into the archive."""
    for date in DATES:
        await served.add(URL, date.encode(), date=date, head=HEAD)
    await served.add("https://www.example.org/a", b"s", date="20230601120000000000", head=HEAD)
    await served.add("http://example.org/a/b", b"b", date=DATES[0], head=MOVED)
    await served.add("http://example.org/picture", b"png", date=DATES[0],
                     head=b"HTTP/1.1 404 No\r\ncontent-type:image/png\r\n\r\n")  # fmt: skip
    await served.add("http://sub.example.org/", b"sub", date=DATES[1], head=HEAD)


def dates_of(lines):
    """Return the years of lines of text."""
    return [line.split(" ")[1][:4] for line in lines]


@ensureDeferred
async def test_pywb_is_answered_in_cdxj(served):
    """A urlkey has the captures of all its URLs, in order; each names its record."""
    await fill(served)
    lines = await served.lines(f"/cdx?url={quote(URL)}")
    assert dates_of(lines) == ["2020", "2022", "2023", "2024"]
    key, timestamp, rest = lines[0].split(" ", 2)
    told = json.loads(rest)
    assert (key, timestamp) == ("org,example)/a", "20200601120000")
    assert (told["mime"], told["status"], told["url"]) == ("text/html", "200", URL)
    assert told["filename"] == f"{structure_key(URL)}/{DATES[0]}.warc"
    assert (told["offset"], told["digest"][:7]) == ("0", "sha256:")


CHOSEN = [
    ("from=2022", ["2022", "2023", "2024"]),
    ("to=2022", ["2020", "2022"]),
    ("from=202206&to=202306", ["2022", "2023"]),
    ("limit=2", ["2020", "2022"]),
    ("limit=0&from=2023", ["2023", "2024"]),
    ("limit=-1", ["2024"]),
    ("sort=reverse&limit=2", ["2024", "2023"]),
    ("closest=20230101&sort=closest", ["2023", "2022", "2024", "2020"]),
    ("closest=&sort=closest&limit=1", ["2020"]),
    ("filter=%3Dstatus:200&filter=!url:https", ["2020", "2022", "2024"]),
    ("filter=~url:http[^s]%2B", ["2020", "2022", "2024"]),
    ("collapseTime=3", ["2020"]),
    ("collapse=urlkey", ["2020"]),
    ("collapse=timestamp:4", ["2020", "2022", "2023", "2024"]),
]


@ensureDeferred
async def test_lines_are_chosen_and_ordered(served):
    """Dates, limits, order, filters and collapsing do as their names say."""
    await fill(served)
    for query, years in CHOSEN:
        assert dates_of(await served.lines(f"/cdx?url={quote(URL)}&{query}")) == years, query


MANY = [
    ("url=example.org/a*", 5),
    ("url=example.org/a&matchType=prefix", 5),
    ("url=example.org&matchType=host", 6),
    ("url=*.example.org", 7),
    ("url=*.example.org/*", 7),
    ("url=example.org&matchType=domain&filter=mime:image", 1),
    ("url=example.org&matchType=domain&filter=!mime:image", 6),
    ("url=http://example.org/a/b&omitSelfRedirects=true", 1),
]


@ensureDeferred
async def test_many_urls_are_listed(served):
    """Prefix, host and domain take what they say, in the order of urlkeys."""
    await fill(served)
    for query, count in MANY:
        lines = await served.lines(f"/cdx?{query}")
        keys = [line.split(" ")[0] for line in lines]
        assert (len(lines), keys) == (count, sorted(keys)), query


@ensureDeferred
async def test_forms_are_those_of_each_client(served):
    """Eleven fields for OutbackCDX, seven for the Wayback Machine, JSON as each expects it."""
    await fill(served)
    (line, *_) = await served.lines(f"/cdx/any?url={quote(URL)}")
    assert len(line.split(" ")) == 11 and line.split(" ")[6:8] == ["-", "-"]
    (line, *_) = await served.lines(f"/cdx/search/cdx?url={quote(URL)}")
    assert line.split(" ")[2:5] == [URL, "text/html", "200"] and len(line.split(" ")) == 7
    rows = json.loads((await served.get(f"/cdx/search/cdx?url={quote(URL)}&output=json"))[2])
    assert rows[0][2:5] == ["original", "mimetype", "statuscode"] and len(rows) == 5
    rows = json.loads((await served.get(f"/cdx/any?url={quote(URL)}&output=json&fl=url,status"))[2])
    assert rows[0] == [URL, "200"] and len(rows) == 4
    (line, *_) = await served.lines(f"/cdx?url={quote(URL)}&output=json&fl=timestamp,original")
    assert json.loads(line) == {"timestamp": "20200601120000", "url": URL}
    (line, *_) = await served.lines("/cdx/any?url=example.org/a/b&fl=redirecturl,statuscode")
    assert line == "http://example.org/a 301"


@ensureDeferred
async def test_nothing_is_said_as_each_client_expects(served):
    """pywb's say 404, the others give an empty list."""
    status, _, body = await served.get("/cdx?url=http://none.example/&output=json")
    assert status == 404 and "none.example" in json.loads(body)["message"]
    assert await served.lines("/cdx/any?url=http://none.example/") == []
    assert await served.lines("/cdx/search/cdx?url=none.example&output=json") == ["[]"]


@ensureDeferred
async def test_openwayback_is_answered_in_xml(served):
    """A urlquery gives the captures as elements, with all that is in a line."""
    await fill(served)
    question = quote("limit:2 type:urlquery url:" + quote(URL, safe=""))
    status, fields, body = await served.get(f"/cdx/any?q={question}")
    found = ElementTree.fromstring(body).findall("results/result")
    assert status == 200 and fields["Content-Type"].startswith("application/xml")
    assert [each.findtext("capturedate")[:4] for each in found] == ["2020", "2022"]
    assert found[0].findtext("url") == URL and found[0].findtext("compressedoffset") == "0"
    _, _, body = await served.get("/cdx/any?q=type:urlquery+url:http%253A%252F%252Fno.example%252F")
    assert ElementTree.fromstring(body).find("error/title") is not None
    assert (await served.get("/cdx/any?q=type:other+url:x"))[0] == 400


@ensureDeferred
async def test_answers_go_on_where_they_ended(served, monkeypatch):
    """With a resume key every line comes once, however small the answers are."""
    monkeypatch.setattr(listing, "_URLS_AT_ONCE", 2)
    await fill(served)
    whole = await served.lines("/cdx/search/cdx?url=*.example.org")
    for size in (1, 2, 3, 5):
        seen, resume = [], ""
        for _ in range(20):
            lines = await served.lines(
                "/cdx/search/cdx?url=*.example.org&showResumeKey=true"
                f"&limit={size}&resumeKey={quote(resume)}"
            )
            resume = lines[-1] if "" in lines else ""
            seen += [line for line in lines if " " in line]
            if not resume:
                break
        assert seen == whole
    monkeypatch.setattr(listing, "URLS_LIMIT", 2)
    lines = await served.lines("/cdx/search/cdx?url=*.example.org&showResumeKey=true")
    assert lines[-2] == "" and len(lines) < len(whole)


@ensureDeferred
async def test_pages_make_the_whole(served, monkeypatch):
    """Pages of URLs follow each other, and past the last is an error, as pywb has it."""
    monkeypatch.setattr(listing, "PAGE_URLS", 2)
    await fill(served)
    _, _, body = await served.get("/cdx?url=*.example.org&showNumPages=true")
    assert json.loads(body) == {"pages": 3, "pageSize": 1, "blocks": 3}
    seen = []
    for page in range(3):
        seen += await served.lines(f"/cdx?url=*.example.org&page={page}")
    assert seen == await served.lines("/cdx?url=*.example.org")
    assert (await served.get("/cdx?url=*.example.org&page=3"))[0] == 400
    assert (await served.get(f"/cdx?url={URL}&page=1"))[0] == 400
    assert len(await served.lines(f"/cdx?url={URL}&page=0")) == 4


WRONG = [
    "", "url=", "url=ftp://x/", "url=x&matchType=all", "url=x&output=link", "url=x&limit=many",
    "url=x&from=may", "url=x&closest=2020139", "url=x&filter=~url:(", "url=x&filter=~url:(?=a)",
    "url=x&filter=nothing:a", "url=x*&limit=-2", "&".join(f"a{n}=1" for n in range(200)),
    "url=x&" + "&".join(["filter=a"] * 30), "url=x&filter=" + "a" * 2000, "url=x&page=-1",
]  # fmt: skip


@ensureDeferred
async def test_what_cannot_be_answered_is_explained(served):
    """A wrong question gets 400 and a word on what to write."""
    for query in WRONG:
        status, _, body = await served.get(f"/cdx?{query}")
        assert (status, body[:31]) == (400, b"The question cannot be answered"), query


@ensureDeferred
async def test_an_archive_that_does_not_answer_is_503(served):
    """Nobody who can be asked is not the same as nothing held."""
    await fill(served)
    served.archive.locator.broken = True
    assert (await served.get(f"/cdx?url={URL}"))[0] == 503


@ensureDeferred
async def test_the_url_itself_needs_no_index(served):
    """An exact URL is looked up also before the index knows it."""
    served.archive.add(URL, b"x", head=HEAD)
    assert len(await served.lines(f"/cdx?url={URL}")) == 1


@ensureDeferred
async def test_what_is_kept_back_is_not_listed(served, monkeypatch):
    """Rules hold for lists and for records."""
    await fill(served)

    def check(url, date="", reader=None):
        if date.startswith("2022"):
            raise Faulted(Fault(451, "embargo", "Kept back", "It is kept back.", url, date))

    def reason(url, date="", reader=None):
        return "kept back" if date.startswith("2022") else None

    monkeypatch.setattr(served.rules, "check", check)
    monkeypatch.setattr(served.rules, "reason", reason)
    assert dates_of(await served.lines(f"/cdx?url={URL}")) == ["2020", "2023", "2024"]
    assert (await served.get(f"/warc/{structure_key(URL)}/{DATES[1]}.warc"))[0] == 451


@ensureDeferred
async def test_pages_of_what_is_kept_back_are_not_counted(served, tmp_path):
    """How many there are would tell that it is held; a page beyond them is none either."""
    await fill(served)
    path = tmp_path / "rules.yaml"
    path.write_text("- {urls: '*.example.org', kind: takedown, reason: Ordered}\n")
    count = "/cdx?url=*.example.org&showNumPages=true"
    assert json.loads((await served.get(count))[2])["pages"] > 0
    served.rules._take(*arranged(path))
    assert json.loads((await served.get(count))[2])["pages"] == 0
    nothing = "/cdx?url=*.nowhere.example"
    for query in ("", "&page=0", "&page=1", "&showResumeKey=true"):
        hidden, unknown = [
            (await served.get(f"{url}{query}")) for url in ("/cdx?url=*.example.org", nothing)
        ]
        assert hidden[0] == unknown[0]
