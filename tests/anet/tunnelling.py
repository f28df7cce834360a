"""A blocking client of CONNECT, with TLS inside and around the tunnel; it belongs in a thread."""

import socket
import ssl
from contextlib import suppress

PATIENCE = 10.0  # seconds


class Wire:
    """Plain TCP, or what is over it."""

    def __init__(self, port: int) -> None:
        self.under = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.heard = b""

    def send(self, data: bytes) -> None:
        """Write bytes, if there is still somebody to read them."""
        with suppress(ConnectionError):
            self.under.sendall(data)

    def receive(self) -> bytes:
        """Return some bytes, none at the end."""
        try:
            return self.under.recv(1 << 16)
        except ConnectionError:
            return b""

    def until(self, end: bytes) -> bytes:
        """Return what comes up to some bytes, or up to the end."""
        while end not in self.heard and (piece := self.receive()):
            self.heard += piece
        before, found, self.heard = self.heard.partition(end)
        return before + found

    def exactly(self, size: int) -> bytes:
        """Return so many bytes."""
        while len(self.heard) < size:
            piece = self.receive()
            assert piece, "the end came early"
            self.heard += piece
        piece, self.heard = self.heard[:size], self.heard[size:]
        return piece

    def rest(self) -> bytes:
        """Return all until the end."""
        while piece := self.receive():
            self.heard += piece
        return self.heard

    def close(self) -> None:
        """Close."""
        self.under.close()

    def connect(self, to: str, *fields: str) -> bytes:
        """Ask for a tunnel; return the head of the answer."""
        lines = [f"CONNECT {to} HTTP/1.1", f"Host: {to}", *fields, "", ""]
        self.send("\r\n".join(lines).encode())
        return self.until(b"\r\n\r\n")

    def get(self, target: str, *fields: str) -> tuple[int, bytes]:
        """Ask for a target; return status and body of an answer whose length is said."""
        self.send("\r\n".join([f"GET {target} HTTP/1.1", *fields, "", ""]).encode())
        head = self.until(b"\r\n\r\n").lower()
        length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        return int(head.split()[1]), self.exactly(int(length or 0))


class Tls(Wire):
    """TLS over a wire, which may be TLS itself."""

    def __init__(self, over: Wire, context: ssl.SSLContext, name: str | None) -> None:
        self.over, self.heard = over, b""
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self._in, self._out, server_hostname=name)
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self._exchange()
        self.over.send(self._out.read())

    def _exchange(self) -> None:
        self.over.send(self._out.read())
        piece = self.over.receive()
        if piece:
            self._in.write(piece)
        else:
            self._in.write_eof()

    def send(self, data: bytes) -> None:
        """Write bytes."""
        self.tls.write(data)
        self.over.send(self._out.read())

    def receive(self) -> bytes:
        """Return some bytes, none at the end."""
        while True:
            try:
                return self.tls.read(1 << 16)
            except ssl.SSLWantReadError:
                self._exchange()
            except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
                return b""

    def close(self) -> None:
        """Close what is under it."""
        self.over.close()
