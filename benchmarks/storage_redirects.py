"""Redirect whoever asks, by our HTTP server, for benchmarks/storage.py; prints the port."""

from twisted.internet import reactor

from anet.http import HttpServer, Request, RequestHead, Response, Router


def main() -> None:
    """Serve until the process is ended."""

    async def redirect(request: Request) -> Response:
        return Response.redirect("http://127.0.0.1/elsewhere")

    def prompt(head: RequestHead) -> bytes | None:
        answer = Response.redirect("http://127.0.0.1/elsewhere")
        return answer.head(True, False) + bytes(answer.body) if head.target == "/to" else None

    router = Router()
    router.route("GET", "/to", redirect)
    server = HttpServer(reactor, "127.0.0.1:0", router, name="benchmark", prompt=prompt)
    server.startService()
    print(server.port, flush=True)
    reactor.run()


if __name__ == "__main__":
    main()
