"""HTTP/1.1, client and server, on Twisted: heads kept byte for byte, bodies streamed.

Twisted's own client and server rewrite heads; an archive may not (*INA §1.4.2*).
"""

from anet.http.client import HttpClient
from anet.http.connect import connect, permit_all
from anet.http.connection import HttpConnection
from anet.http.exchange import ClientResponse
from anet.http.file_body import FileBody
from anet.http.hosts import guarded, guarded_prompt, guarded_taker
from anet.http.incoming import IncomingBody, Sink
from anet.http.message import HOP_BY_HOP, Headers, ResponseHead, parse_head
from anet.http.metrics import metrics_response
from anet.http.pipelining import PipelinedClient, SmallAnswer
from anet.http.plain import PlainPut, Prompt, Taker
from anet.http.request import Request
from anet.http.response import Response, date_now
from anet.http.router import Router
from anet.http.server import HttpServer
from anet.http.server_connection import Handler, Limits
from anet.http.tunnel import Tunnel
from anet.names import resolve

__all__ = [
    "HOP_BY_HOP",
    "ClientResponse",
    "FileBody",
    "Handler",
    "Headers",
    "HttpClient",
    "HttpConnection",
    "HttpServer",
    "IncomingBody",
    "Limits",
    "PipelinedClient",
    "PlainPut",
    "Prompt",
    "Request",
    "Response",
    "ResponseHead",
    "Router",
    "Sink",
    "SmallAnswer",
    "Taker",
    "Tunnel",
    "connect",
    "date_now",
    "guarded",
    "guarded_prompt",
    "guarded_taker",
    "metrics_response",
    "parse_head",
    "permit_all",
    "resolve",
]
