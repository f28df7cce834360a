"""What wget collected comes in, and the proxy gives it as wget got it."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DOCUMENTATION, Archive, Nginx
from exchange import Seen, let_the_second_pass, records

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("wget"), reason="there is no wget"),
]

WEBSITES = Path(__file__).parent.parent / "websites"
FRAMING = {"connection", "keep-alive", "transfer-encoding"}
CHANGED = ["about.html", "library/functions.html"]


def wget(site: Nginx, prefix: Path, *options: str) -> None:
    """Collect the whole site, with two pages of which there are no links."""
    starts = [site.url, f"{site.url}websites/static/index.html", f"{site.url}none.html"]
    done = subprocess.run(
        [
            "wget", "--quiet", "--recursive", "--level=inf", "--no-parent", "--delete-after",
            f"--warc-file={prefix}", "--warc-cdx", "--warc-max-size=4M",
            f"--warc-tempdir={prefix.parent}", *options, *starts,
        ],
        cwd=prefix.parent, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 8), done.stderr  # 8: the server refused something


@pytest.fixture(scope="module")
def collected(tmp_path_factory) -> Iterator[Path]:
    """A folder with what wget wrote: plain, with gzip, in chunks, and with revisits."""
    folder = tmp_path_factory.mktemp("site") / "html"
    shutil.copytree(DOCUMENTATION, folder, ignore_dangling_symlinks=True)
    shutil.copytree(WEBSITES, folder / "websites")
    warcs = tmp_path_factory.mktemp("warcs")
    work = tmp_path_factory.mktemp("nginx")
    site = Nginx(folder, work, http="gzip on; gzip_types text/css;")
    try:
        wget(site, warcs / "plain", "--no-warc-compression")
        let_the_second_pass()
        for name in CHANGED:
            (folder / name).write_bytes((folder / name).read_bytes() + b"<!-- changed -->\n")
        wget(site, warcs / "again", f"--warc-dedup={warcs}/plain.cdx")
        let_the_second_pass()
        wget(site, warcs / "coded", "--compression=gzip")
    finally:
        site.stop()
    return warcs


def answers(folder: Path) -> list[Seen]:
    """Return the answers of all files, those of revisits with the bodies that they repeat."""
    seen = [each for path in sorted(folder.glob("*.warc*")) for each in records(path)]
    found = [each for each in seen if each.kind == "response"]
    bodies = {each.field("WARC-Payload-Digest"): each.body for each in found}
    assert all(bodies.values())
    revisits = [each for each in seen if each.kind == "revisit"]
    assert len(revisits) > 400
    for each in revisits:
        body = bodies[each.field("WARC-Payload-Digest")]
        found.append(each._replace(block=each.head + body))
    return found


def test_the_proxy_gives_what_wget_got(archive: Archive, collected: Path) -> None:
    """Every answer at its date: status, fields and body; and the head on the disks, as received."""
    done = archive.command("import", str(collected))
    print(done.stdout.decode(), done.stderr.decode())
    assert done.returncode == 0
    heads = {(it["url"], it["date"][:14]): it["head"] for it in archive.check()}
    wanted = answers(collected)
    assert len(wanted) > 1500
    assert any(b"chunked" in each.head for each in wanted)
    for each in wanted:
        assert heads[each.url, each.date].encode("latin-1") == each.head, each.url
        status, fields, body = archive.get(
            each.url, Accept_Datetime=each.date, Accept_Encoding="gzip"
        )
        lines = each.head.decode("latin-1").split("\r\n")
        sent = [tuple(line.split(": ", 1)) for line in lines[1:-2]]
        end = [name.lower() for name, _ in fields].index("dlweb-date")  # then the archive's own
        given = [pair for pair in fields[:end] if pair[0].lower() not in FRAMING]
        assert dict(fields)["Dlweb-Date"][:14] == each.date
        assert status == int(lines[0].split()[1])
        assert given == [pair for pair in sent if pair[0].lower() not in FRAMING], each.url
        assert body == each.body, each.url
