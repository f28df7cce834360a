"""The websites that crawl.py has collected, served by nginx on loopback.

Both are real documentation from Debian's packages: one of large pages with many links each, one of
many small pages. What a page names and a package lacks is a 404 for every tool.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

PYTHON = Path("/usr/share/doc/python3.11/html")
QUICK_PART = ("tutorial", "howto", "_static", "_images")  # folders of it for --quick
SMALL = {  # folders that become one site of small pages, and what its first page links to
    "git": (Path("/usr/share/doc/git-doc"), "git/git.html"),
    "postgresql": (Path("/usr/share/doc/postgresql-doc-15/html"), "postgresql/index.html"),
    "sqlite": (Path("/usr/share/doc/sqlite3"), "sqlite/index.html"),
}
PACKAGES = {
    PYTHON: "python3.11-doc",
    SMALL["git"][0]: "git-doc",
    SMALL["postgresql"][0]: "postgresql-doc-15",
    SMALL["sqlite"][0]: "sqlite3-doc",
}


def missing_packages() -> list[str]:
    """Return the packages that this machine lacks."""
    found = [package for folder, package in PACKAGES.items() if not folder.is_dir()]
    return found + ["nginx-light"] * (shutil.which("nginx") is None)


def sites(work: Path, quick: bool) -> dict[str, Path]:
    """Return the folder of each site; a part of each for quick."""
    if quick:
        return {"large pages": quick_python(work), "small pages": linked(work, ["git"])}
    return {"large pages": PYTHON, "small pages": linked(work, list(SMALL))}


def quick_python(work: Path) -> Path:
    """Make a smaller site out of Python's documentation."""
    site = work / "python"
    site.mkdir()
    for page in PYTHON.glob("*.html"):
        if page.stat().st_size < 200_000:
            shutil.copy(page, site)
    for folder in QUICK_PART:
        if (PYTHON / folder).is_dir():
            shutil.copytree(PYTHON / folder, site / folder)
    return site


def linked(work: Path, names: list[str]) -> Path:
    """Make one site of several folders, and a first page that links to them."""
    site = work / "small"
    site.mkdir()
    links = []
    for name in names:
        folder, first = SMALL[name]
        (site / name).symlink_to(folder)
        links.append(f'<a href="{first}">{name}</a>')
    (site / "index.html").write_text(f"<!DOCTYPE html><title>Manuals</title>{' '.join(links)}")
    return site


@contextmanager
def served(site: Path, work: Path) -> Iterator[str]:
    """Serve a folder by nginx for as long as the context lasts; gives its URL."""
    port = free_ports(1)
    configuration = work / "nginx.conf"
    configuration.write_text(
        f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1;
        {"user root;" if os.geteuid() == 0 else ""}
        events {{ worker_connections 256; }}
        http {{ include /etc/nginx/mime.types; access_log off; keepalive_requests 100000;
          client_body_temp_path {work}/1; proxy_temp_path {work}/2; fastcgi_temp_path {work}/3;
          uwsgi_temp_path {work}/4; scgi_temp_path {work}/5;
          server {{ listen 127.0.0.1:{port}; root {site}; }} }}"""
    )
    server = subprocess.Popen(["nginx", "-c", configuration, "-p", work], stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.wait()


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    for _ in range(100):
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("nginx does not start")


def free_ports(count: int) -> int:
    """Return the first of `count` free ports in a row."""
    for base in range(20_000 + os.getpid() % 9000, 60_000, count):
        try:
            for port in range(base, base + count):
                with closing(socket.socket()) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    sys.exit("no free ports")
