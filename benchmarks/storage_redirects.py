"""Redirect whoever asks, by our HTTP server, for benchmarks/storage.py; prints the port."""

from functools import lru_cache

from twisted.internet import reactor

from anet.http import HttpServer, Request, Response, Router, date_now


def main() -> None:
    """Serve until the process is ended."""

    async def redirect(request: Request) -> Response:
        return Response.redirect("http://127.0.0.1/elsewhere")

    @lru_cache(maxsize=1)
    def answer(date: bytes) -> bytes:
        response = Response.redirect("http://127.0.0.1/elsewhere")
        return response.head(True, False) + bytes(response.body)

    def prompt(target: str, host: bytes) -> bytes | None:
        return answer(date_now()) if target == "/to" else None

    router = Router()
    router.route("GET", "/to", redirect)
    server = HttpServer(reactor, "127.0.0.1:0", router, name="benchmark", prompt=prompt)
    server.startService()
    print(server.port, flush=True)
    reactor.run()


if __name__ == "__main__":
    main()
