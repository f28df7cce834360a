"""Five websites of different make, served by nginx under names of their own, and switched off.

    with served(work) as web:
        web.starts            # where a crawl of each site begins
        web.pages             # the pages to compare
    # nothing answers any more

All names end in `.test` and are told to browsers and crawlers; the ports are free ones.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from pictures import make_pictures

HERE = Path(__file__).parent
HOSTS = ("static.test", "scripted.test", "pictures.test", "film.test")  # of http
SECURE, FONTS = "secure.test", "fonts.secure.test"
PAGES = {
    "static": ("", "walls.html", "harbour/", "tides.html?month=11"),
    "scripted": ("", "router.html"),
    "pictures": ("", "gallery.html"),
    "film": ("", "plain.html"),
    "secure": ("", "form.html", "found.html?q=boats", "old"),
}  # of each site; all are deterministic


@frozen
class Web:
    """The sites.

    Attributes:
        port: of http.
        secure_port: of https.
        log: where nginx notes what it was asked for.
    """

    port: int
    secure_port: int
    log: Path

    def root(self, site: str) -> str:
        """Return the URL of a site's first page."""
        if site == "secure":
            return f"https://{SECURE}:{self.secure_port}/"
        return f"http://{site}.test:{self.port}/"

    @property
    def starts(self) -> list[str]:
        """Where crawls begin."""
        fonts = f"https://{FONTS}:{self.secure_port}/sheet.css"
        return [*map(self.root, PAGES), fonts, f"http://{SECURE}:{self.port}/", self.escaping]

    @property
    def escaping(self) -> str:
        """A page that tries to ask the live web, which no other page leads to."""
        return self.root("static") + "escape.html"

    @property
    def pages(self) -> dict[str, list[str]]:
        """The URLs of the pages of each site."""
        return {site: [self.root(site) + page for page in pages] for site, pages in PAGES.items()}

    def requests(self) -> int:
        """Return how many requests nginx has answered."""
        return self.log.read_bytes().count(b"\n")


def hosts() -> str:
    """Return where all names are, as a line of /etc/hosts."""
    return " ".join(("127.0.0.1", *HOSTS, SECURE, FONTS))


@contextmanager
def served(work: Path, port: int, secure_port: int) -> Iterator[Web]:
    """Serve the sites for as long as the context lasts.

    Args:
        work: a folder for what this needs.
        port: a free one, for http.
        secure_port: another, for https.
    """
    folder = work / "sites"
    shutil.copytree(HERE / "sites", folder)
    make_pictures(folder)
    for page in (*folder.glob("secure/*.html"), *folder.glob("secure/*.js")):
        page.write_text(page.read_text().replace("FONTS", f"{FONTS}:{secure_port}"))
    make_certificate(work)
    configuration = work / "nginx.conf"
    configuration.write_text(_configuration(work, folder, port, secure_port))
    (work / "access.log").touch()
    server = subprocess.Popen(["/usr/sbin/nginx", "-c", configuration, "-p", work])
    try:
        yield Web(port, secure_port, work / "access.log")
    finally:
        server.terminate()
        server.wait(60)


def make_certificate(work: Path) -> None:
    """Write a certificate that nobody signed, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, SECURE)])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(SECURE), x509.DNSName(FONTS)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (work / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (work / "key.pem").write_bytes(
        key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )  # fmt: skip


def _configuration(work: Path, folder: Path, port: int, secure_port: int) -> str:
    plain = "\n".join(
        f"server {{ listen 127.0.0.1:{port}; server_name {host} www.{host}; "
        f"root {folder}/{host.removesuffix('.test')}; }}"
        for host in HOSTS
    )
    return f"""
daemon off; pid {work}/nginx.pid; error_log {work}/error.log; worker_processes 1;
{"user root;" if os.geteuid() == 0 else ""}
events {{ worker_connections 256; }}
http {{
  include /etc/nginx/mime.types; types {{ text/javascript mjs; font/ttf ttf; text/vtt vtt; }}
  access_log {work}/access.log; gzip on; gzip_types text/css application/javascript;
  client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f;
  uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  ssl_certificate {work}/certificate.pem; ssl_certificate_key {work}/key.pem;
  charset utf-8; charset_types text/css application/javascript;
  server {{ listen 127.0.0.1:{port} default_server; return 404; }}
  {plain}
  server {{
    listen 127.0.0.1:{port}; server_name {SECURE};
    return 301 https://{SECURE}:{secure_port}$request_uri;
  }}
  server {{
    listen 127.0.0.1:{secure_port} ssl; server_name {SECURE}; root {folder}/secure;
    add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;
    location = /old {{ return 302 /moved.html; }}
  }}
  server {{
    listen 127.0.0.1:{secure_port} ssl; server_name {FONTS}; root {folder}/secure_fonts;
    add_header Access-Control-Allow-Origin "https://{SECURE}:{secure_port}" always;
    add_header Access-Control-Allow-Headers "X-Asked-By" always;
    location = /answer.json {{
      if ($request_method = OPTIONS) {{
        add_header Access-Control-Allow-Origin "https://{SECURE}:{secure_port}";
        add_header Access-Control-Allow-Headers "X-Asked-By";
        return 204;
      }}
    }}
  }}
}}
"""
