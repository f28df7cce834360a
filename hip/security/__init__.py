"""Who may link to whom: the one place where links are made (*INA §1.3.1*).

    settings     what an agent's links are guarded by
    roles        what a certificate says of its agent
    credentials  the files of an agent, as they are now, and what OpenSSL makes of them
    guard        who is let in, and for how long
    doorway      the time between a connection and a peer: the TLS handshake
    local        UNIX sockets and the users behind them
    listening    waiting for slaves
    connecting   going to a master, through a proxy where there is one
    web          the same certificates for HTTP

Beyond loopback every link is mutually authenticated TLS, unless the operator says otherwise.
"""

from hip.security.connecting import connect_to_master
from hip.security.doorway import in_words
from hip.security.guard import Guard
from hip.security.listening import listen_for_slaves
from hip.security.roles import CONSOLE, OPERATOR, Identity
from hip.security.settings import Security
from hip.security.web import WebTls

__all__ = [
    "CONSOLE",
    "OPERATOR",
    "Guard",
    "Identity",
    "Security",
    "WebTls",
    "connect_to_master",
    "in_words",
    "listen_for_slaves",
]
