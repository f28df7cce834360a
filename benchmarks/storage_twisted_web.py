"""Serve a folder's files by twisted.web, and redirect from /to; for benchmarks/storage.py."""

import sys

from twisted.internet import reactor
from twisted.web.resource import Resource
from twisted.web.server import Site
from twisted.web.static import File
from twisted.web.util import Redirect


def main() -> None:
    """Serve until the process is ended."""
    root = Resource()
    root.putChild(b"contents", File(sys.argv[1], defaultType="application/octet-stream"))
    root.putChild(b"to", Redirect(b"http://127.0.0.1/elsewhere"))
    port = reactor.listenTCP(0, Site(root), interface="127.0.0.1")
    print(port.getHost().port, flush=True)
    reactor.run()


if __name__ == "__main__":
    main()
