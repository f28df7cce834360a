"""HTTP/2 (RFC 9113), client, for servers that speak nothing else; the framing is by `h2`."""

from anet.http2.connection import PROTOCOL, Http2Connection
from anet.http2.heads import written_out

__all__ = ["PROTOCOL", "Http2Connection", "written_out"]
