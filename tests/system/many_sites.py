"""A small web: documentation from Debian as many sites of different names, with a DNS of its own.

Each name has an address on loopback. A site is a folder as its package installs it; only its front
page is followed by a list of links to other sites of this web. Some sites are of a topic
(databases, in English), others are near it, of it in another language or format, or far from it.
"""

import os
import socket
import subprocess
from contextlib import closing
from pathlib import Path

from attrs import frozen
from conftest import free_ports, wait_for

DEBIAN = Path("/usr/share/doc")
_APACHE = DEBIAN / "apache2-doc" / "manual"
_PLANET = """<!DOCTYPE html><html lang="en"><title>Planet of databases</title>
<p>What people who look after a relational database read: how the query planner makes use of an
index, what a transaction sees of other transactions, when a SQL statement locks a table, and how to
move a database to another server. Whoever writes about a SQL database may ask to be listed here.
</p></html>"""
_DIAGRAMS = """<!DOCTYPE html><html lang="en"><title>How SQL is written</title>
<p>Each statement of SQL as a picture, from the table that is made to the index of a database that
is dropped; a transaction, a query and what locks a table are here, too.</p></html>"""
_CASINO = """<!DOCTYPE html><html lang="en"><title>The golden casino</title>
<p>Win today! Our casino pays a bonus for each friend that you bring along. Roulette, poker and slot
machines wait for you around the clock, and whoever plays at night plays for twice the money. There
is no better casino than this one, and every page of the web says so.</p></html>"""


@frozen
class Site:
    """A site of this web.

    Attributes:
        name: of its host, or host/folder.
        folder: what it serves besides its front page.
        front: the file of its front page, or the page, which then leads to all files of the folder.
        links: names of the sites that its front page leads to.
        topic: whether it is one of those to be found.
        without: what the topic's filter should miss in it.
    """

    name: str
    folder: Path | None
    front: str
    links: str
    topic: bool = False
    without: str = ""

    @property
    def host(self) -> str:
        """Its host."""
        return self.name.partition("/")[0]

    @property
    def path(self) -> str:
        """Where it begins there."""
        folder = self.name.partition("/")[2]
        return f"/{folder}/" if folder else "/"


def _of_topic(name: str, folder: str, links: str) -> Site:
    return Site(name, DEBIAN / folder, "index.html", links, topic=True)


def _other(name: str, folder: Path | str, front: str, links: str, without: str) -> Site:
    return Site(name, DEBIAN / folder, front, links, without=without)


SITES = (
    # Databases, in English. Who knows whom is made up.
    _of_topic("sqlite.test", "sqlite3", "peewee.test lmdb.test python.test casino.test"),
    _of_topic(
        "postgresql.test",
        "postgresql-doc-15/html",
        "psycopg.test slony.test planet.test git.test debian.test/~hans",
    ),
    _of_topic(
        "psycopg.test", "python-psycopg-doc/html", "postgresql.test old.psycopg.test requests.test"
    ),
    _of_topic("old.psycopg.test", "python-psycopg2-doc/html", "psycopg.test postgresql.test"),
    _of_topic(
        "slony.test", "slony1-2-doc/adminguide", "postgresql.test exim.test debian.test/~luc"
    ),
    _of_topic(
        "peewee.test",
        "python-peewee-doc/html",
        "sqlite.test pymysql.test postgresql.test tr.apache.test",
    ),
    _of_topic("pymysql.test", "python-pymysql-doc/html", "people.test/~aio python.test"),
    _of_topic("people.test/~aio", "python-aiomysql-doc/html", "pymysql.test people.test/~eve"),
    _of_topic("groonga.test", "groonga-doc/en/html", "ja.groonga.test postgresql.test"),
    _of_topic("lmdb.test", "lmdb-doc/html", "sqlite.test"),
    Site(
        "planet.test",
        None,
        _PLANET,
        "postgresql.test sqlite.test psycopg.test old.psycopg.test slony.test peewee.test "
        "pymysql.test groonga.test lmdb.test diagrams.test policy.test apache.test",
        topic=True,
    ),
    # In another language, or format.
    _other("ja.groonga.test", "groonga-doc/ja/html", "index.html", "groonga.test", "language"),
    _other("diagrams.test", "sqlite3/images", _DIAGRAMS, "sqlite.test", "format"),
    _other("debian.test/~hans", "debian/FAQ/de", "index.de.html", "debian.test/~luc", "language"),
    _other("debian.test/~luc", "debian/FAQ/fr", "index.fr.html", "debian.test/~hans", "language"),
    _other("people.test/~eve", _APACHE / "fr", "index.html", "apache.test", "language"),
    _other("tr.apache.test", _APACHE / "tr", "index.html", "apache.test", "language"),
    # Of other topics.
    _other("python.test", "python3.11/html", "index.html", "requests.test", "topic"),
    _other("requests.test", "python-requests-doc/html", "index.html", "python.test", "topic"),
    _other("git.test", "git-doc", "git.html", "exim.test", "topic"),
    _other("apache.test", _APACHE / "en", "index.html", "people.test/~eve tr.apache.test", "topic"),
    _other("exim.test", "exim4-doc-html/spec_html", "index.html", "policy.test", "topic"),
    _other("policy.test", "debian-policy/policy.html", "index.html", "git.test", "topic"),
    Site("casino.test", None, _CASINO, "casino.test sqlite.test planet.test", without="topic"),
)

TOPIC = frozenset(site.name for site in SITES if site.topic)
STARTS = ("sqlite.test", "postgresql.test")


class Web:
    """All sites, as they are served on loopback.

    Args:
        directory: for what the servers write.

    Attributes:
        port: of all sites.
        dns: where names are looked up, as crawlers are told it.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.port = free_ports(2)
        dns = self.port + 1
        self.dns = f"127.0.0.1:{dns}"
        for site in SITES:
            folder = directory / "fronts" / site.name
            folder.mkdir(parents=True)
            (folder / "front.html").write_bytes(self._front(site))
        hosts = dict.fromkeys(site.host for site in SITES)
        self._addresses = {host: f"127.0.2.{number}" for number, host in enumerate(hosts, 1)}
        self._addresses["ja.groonga.test"] = self._addresses["groonga.test"]  # one machine
        self._servers = [self._nginx(), self._dnsmasq(dns)]
        wait_for(self._answers, "the web")

    def url(self, name: str) -> str:
        """Return where a site begins."""
        site = next(site for site in SITES if site.name == name)
        return f"http://{site.host}:{self.port}{site.path}"

    def requests(self) -> list[tuple[float, str, str]]:
        """Return the time, the site and the path of each request that a site has answered."""
        lines = (self._directory / "access.log").read_text().splitlines()
        rows = [line.split(" ", 2) for line in lines]
        return [(float(when), site_of(host, path), path) for when, host, path in rows]

    def stop(self) -> None:
        """End the servers."""
        for server in self._servers:
            server.terminate()
            server.wait(60)

    def _front(self, site: Site) -> bytes:
        urls = [self.url(name) for name in site.links.split()]
        if site.front.startswith("<"):
            page = site.front.encode()
            files = site.folder.iterdir() if site.folder else ()
            urls += sorted(file.name for file in files if file.is_file())
        else:
            page = (site.folder / site.front).read_bytes()
        items = "".join(f'<li><a href="{url}">{url}</a></li>\n' for url in urls)
        return page + f"<ul>\n{items}</ul>\n".encode()

    def _nginx(self) -> "subprocess.Popen[bytes]":
        work = self._directory
        servers = "".join(map(self._server, self._addresses))
        file = work / "nginx.conf"
        file.write_text(
            f"""
            daemon off; pid {work}/nginx.pid; error_log {work}/error.log; worker_processes 1;
            {"user root;" if os.getuid() == 0 else ""}
            events {{ worker_connections 256; }}
            http {{
              include /etc/nginx/mime.types; default_type application/octet-stream;
              server_names_hash_bucket_size 128;
              log_format sites "$msec $host $request_uri"; access_log {work}/access.log sites;
              client_body_temp_path {work}/b; proxy_temp_path {work}/p;
              fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
              {servers}
            }}"""
        )
        return subprocess.Popen(["/usr/sbin/nginx", "-c", str(file), "-p", str(work)])

    def _server(self, host: str) -> str:
        locations = ""
        for site in (site for site in SITES if site.host == host):
            front = self._directory / "fronts" / site.name
            locations += f"location = {site.path} {{ alias {front}/; index front.html; }}\n"
            locations += f"location = {site.path}front.html {{ alias {front}/front.html; }}\n"
            if site.folder:
                locations += f"location {site.path} {{ alias {site.folder}/; }}\n"
        return f"""
            server {{
              listen {self._addresses[host]}:{self.port}; server_name {host};
              {locations}
            }}"""

    def _dnsmasq(self, port: int) -> "subprocess.Popen[bytes]":
        command = [
            "/usr/sbin/dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
            "--no-hosts", "--pid-file=", "--user=", "--listen-address=127.0.0.1",
            "--bind-interfaces", f"--port={port}", "--address=/#/",
        ]  # fmt: skip
        names = [f"--host-record={host},{to}" for host, to in self._addresses.items()]
        return subprocess.Popen([*command, *names])

    def _answers(self) -> bool:
        with closing(socket.socket()) as probe:
            return probe.connect_ex((self._addresses["planet.test"], self.port)) == 0


def site_of(host: str, path: str) -> str:
    """Return the name of the site that a path of a host belongs to."""
    return f"{host}{path[: path.find('/', 1)]}" if path.startswith("/~") else host
