"""Serve a folder's files by our HTTP server, for benchmarks/http_server.py; prints the port."""

import sys
from pathlib import Path

from twisted.internet import reactor

from anet.http import FileBody, HttpServer, Request, Response, Router


def main() -> None:
    """Serve until the process is ended."""
    folder = Path(sys.argv[1])

    async def give(request: Request, name: str) -> Response:
        content_type = (b"Content-Type", b"application/octet-stream")
        return Response(200, [content_type], FileBody.whole(folder / name))

    router = Router()
    router.route("GET", "/{name}", give)
    server = HttpServer(reactor, "127.0.0.1:0", router, name="benchmark")
    server.startService()
    print(server.port, flush=True)
    reactor.run()


if __name__ == "__main__":
    main()
