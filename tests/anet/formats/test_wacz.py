"""A WACZ file from anybody: what it proves, and what is told when it does not."""

import hashlib
import tracemalloc
from contextlib import suppress
from json import dumps
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wacz_files import CREATED, wacz_in, zipped

from anet.formats.signing import BadSignature
from anet.formats.wacz import Page, Wacz
from anet.formats.zip_members import BadMember, NotZip


def told(path: Path) -> str:
    """Return all that is wrong with a file."""
    with Wacz(path) as wacz:
        return "\n".join(damage.cause for damage in wacz.verified())


def test_a_changed_record_is_told(tmp_path: Path) -> None:
    """One bit of a WARC is another, and the package says so."""
    path = wacz_in(tmp_path)
    with Wacz(path) as wacz:
        warc = wacz.warcs[1]
    content = bytearray(path.read_bytes())
    content[warc.begin + 50] ^= 1
    path.write_bytes(content)
    assert warc.name in told(path)


def test_a_changed_package_is_told_by_its_digest_and_its_signature(tmp_path: Path) -> None:
    """Who changes a WARC and its hash cannot change the signature."""
    path = tmp_path / "a.wacz"
    with Wacz(wacz_in(tmp_path)) as wacz:
        contents = {m.name: b"".join(wacz.zip.pieces(m)) for m in wacz.zip.members}
    package = contents.pop("datapackage.json")
    zipped(path, contents)
    assert "datapackage.json is not as datapackage-digest.json says" in told(path)
    with Wacz(path) as wacz, pytest.raises(BadSignature, match="another"):
        wacz.signed()
    assert package


@pytest.mark.parametrize(
    ("resources", "cause"),
    [
        ([], "is not named in datapackage.json"),
        (5, "is not named in datapackage.json"),
        ([{"path": "archive/a.warc", "hash": "sha256:" + "0" * 64}], "is not as its hash says"),
        ([{"path": "archive/a.warc", "hash": "crc32:00000000"}], "hash that is not known here"),
        ([{"path": "../../etc/passwd", "hash": "sha256:00"}], "is not there"),
        ("nonsense", "is not named"),
        ([1, None, {"path": 7}], "is not named"),
    ],
)
def test_what_a_package_says_wrongly_is_told(tmp_path: Path, resources: object, cause: str) -> None:
    """Each file has to be named with its hash; what is named has to be there."""
    package = dumps({"resources": resources}).encode()
    path = zipped(tmp_path / "a.wacz", {"datapackage.json": package, "archive/a.warc": b"x"})
    assert cause in told(path)


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha512"])
def test_other_hashes_are_known(tmp_path: Path, algorithm: str) -> None:
    """Old packages are proved by what they have."""
    hash_ = f"{algorithm}:{hashlib.new(algorithm, b'x').hexdigest()}"
    package = dumps({"resources": [{"path": "archive/a.warc", "hash": hash_}]}).encode()
    path = zipped(tmp_path / "a.wacz", {"datapackage.json": package, "archive/a.warc": b"x"})
    assert told(path) == ""


@pytest.mark.parametrize("package", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_without_a_package_nothing_is_proved(tmp_path: Path, package: bytes) -> None:
    """WARCs are found all the same."""
    path = zipped(tmp_path / "a.wacz", {"datapackage.json": package, "archive/a.warc.gz": b"x"})
    assert "nothing proves the rest" in told(path)
    with Wacz(path) as wacz:
        assert [member.name for member in wacz.warcs] == ["archive/a.warc.gz"]


@pytest.mark.parametrize("said", [[], "x", {}, {"hash": "x"}, {"signature": 1}])
def test_a_signature_that_is_none_is_told(tmp_path: Path, said: object) -> None:
    """Whatever stands in its place."""
    digest = dumps({"signedData": said}).encode()
    path = zipped(tmp_path / "a.wacz", {"datapackage-digest.json": digest, "archive/a.warc": b"x"})
    assert "signedData" in told(path)


def test_pages_are_read_whatever_stands_between_them(tmp_path: Path) -> None:
    """The list of main pages first; heads, nonsense and lines without URL or date are no pages."""
    lines = [
        dumps({"format": "json-pages-1.0", "id": "pages"}),
        dumps({"url": "http://a/", "ts": CREATED, "title": "é"}),
        "nonsense",
        "[" * 100_000,
        dumps(["url", "ts"]),
        dumps({"url": "http://b/", "ts": 20261122}),
        dumps({"url": "http://c/", "ts": CREATED, "title": 7, "text": "all"}),
    ]
    extra = dumps({"url": "http://d/", "ts": CREATED})
    contents = {"pages/extraPages.jsonl": extra, "pages/pages.jsonl": "\r\n".join(lines)}
    path = zipped(tmp_path / "a.wacz", {name: text.encode() for name, text in contents.items()})
    with Wacz(path) as wacz:
        assert list(wacz.pages()) == [
            Page("http://a/", CREATED, "é"),
            Page("http://c/", CREATED, text="all"),
            Page("http://d/", CREATED),
        ]


def test_a_page_without_end_is_passed_over(tmp_path: Path) -> None:
    """A line longer than any page takes no memory without bound, and the next one is read."""
    page = dumps({"url": "http://a/", "ts": CREATED}).encode()
    content = b'{"text": "' + b"x" * 40_000_000 + b'"}\n' + page
    path = zipped(tmp_path / "a.wacz", {"pages/pages.jsonl": content})
    tracemalloc.start()
    with Wacz(path) as wacz:
        assert list(wacz.pages()) == [Page("http://a/", CREATED)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a good file, made once."""
    return wacz_in(tmp_path_factory.mktemp("good"), 2).read_bytes()


@given(st.data())
def test_any_damage_is_told_and_nothing_else_happens(
    tmp_path_factory: pytest.TempPathFactory, good: bytes, data: st.DataObject
) -> None:
    """A good file of which bytes were changed, doubled or lost is read as far as it goes."""
    path = tmp_path_factory.mktemp("wacz") / "a.wacz"
    content = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content)))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(content)
    try:
        with Wacz(path) as wacz:
            assert all(problem.cause for problem in wacz.verified())
            with suppress(BadMember):
                assert all(page.url for page in wacz.pages())
            with suppress(BadSignature):
                wacz.signed()
    except NotZip:
        return
