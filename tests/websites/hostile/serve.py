"""A hostile web site on loopback, of threads and plain sockets, with a well part that survives it.

    python serve.py HITS

It prints the URL of the site, and writes each target that it is asked for to the file HITS.
`docs/explanation/hostile-web.md` says what it does to crawlers, and what becomes of it.
"""

import struct
import sys
import time
from pathlib import Path
from socket import SO_LINGER, SOL_SOCKET
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TextIO

import mazes
import wire
from bodies import BODIES, MORE_WAYS_OUT
from pieces import CLOSE, CUT, Pieces, whole
from unpacking import documents
from well import well_part

ATTACKS = {**mazes.MAZES, **wire.WIRE, **BODIES, "documents": documents}
WELL = well_part([
    *(name for name in ATTACKS if name not in mazes.NO_WAY_OUT | wire.NO_WAY_OUT), *MORE_WAYS_OUT
])  # fmt: skip


def home() -> Pieces:
    """Link to every attack, and to the well part between them."""
    links = "".join(f"<p><a href=/{name}>{name}</a>" for name in ATTACKS if name != "mapped")
    first, last = ("<a href=/well/0.html>well</a>", "<a href=/maps/0.xml>maps</a>")
    return whole(f"<title>All of the bad</title>{links}{first}{last}")


def answer(target: str) -> Pieces:
    """Return what a target answers."""
    if target in WELL:
        kind, body = WELL[target]
        return whole(body, kind)
    if target in ("/", "/robots.txt"):
        return home() if target == "/" else wire.robots()
    path = target[1:]
    name = path[: min(index for index in map((path + "/?;").find, "/?;"))]
    attack = ATTACKS.get(name)
    try:
        return (
            whole("nothing", status="404 Not Found")
            if attack is None
            else attack(path[len(name) :])
        )
    except (KeyError, ValueError, IndexError):
        return whole("no such harm", status="404 Not Found")


class Connection(StreamRequestHandler):
    """One connection, until an answer closes it."""

    disable_nagle_algorithm = True
    hits: TextIO

    def handle(self) -> None:
        """Answer request after request."""
        try:
            while line := self.rfile.readline(100_000):
                while self.rfile.readline(100_000).strip():
                    pass
                target = line.split(b" ")[1].decode("latin-1")
                self.hits.write(f"{target}\n")
                self.hits.flush()
                if self._send(answer(target)):
                    return
        except OSError:
            pass  # the crawler had enough

    def _send(self, pieces: Pieces) -> bool:
        """Send an answer; tell whether the connection is over."""
        for piece in pieces:
            if isinstance(piece, float):
                time.sleep(piece)
            elif isinstance(piece, bytes):
                self.connection.sendall(piece)
            elif piece in (CLOSE, CUT):
                if piece == CUT:
                    self.connection.setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                return True
        return False


class Server(ThreadingTCPServer):
    """The site."""

    daemon_threads = True
    request_queue_size = 100


def main() -> None:
    """Serve until the process is ended."""
    with (
        Path(sys.argv[1]).open("w") as Connection.hits,
        Server(("127.0.0.1", 0), Connection) as server,
    ):
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
