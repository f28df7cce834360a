"""Hierarchical Interaction Protocol: calls between agents that form a tree (*INA §1.3.2*).

A slave keeps one connection to its master for life; both call and answer on it.

    wire · codecs · messages · greeting   bytes and what they mean
    session                               the state machine of one end, sans I/O
    conversation · backlog · liveness     reading and writing, at the pace of both ends
    peer · calls · answers                the other end: calls to it, and answers
    journey · link · agent                where a slave goes, its link, a node of the tree
    methods · builtin · tree              remote methods, and those that every agent has
    running · command                     an agent as a program; the `hip` command
    security · certificates               who may link to whom; making certificates
    address                               where to listen and connect

Knows nothing of archives.
"""

from hip.agent import Agent, Listener
from hip.deadlines import Deadline
from hip.errors import (
    CallRefused,
    CallTimedOut,
    CannotCarry,
    ConnectionLost,
    CredentialsRefused,
    HipError,
    NotConnected,
    NotTrusted,
    Overloaded,
    PlaintextRefused,
    ProtocolError,
    RemoteError,
    TooLarge,
)
from hip.limits import Limits
from hip.link import Link
from hip.methods import convert, exposed
from hip.peer import Peer
from hip.security import Security

__all__ = [
    "Agent",
    "CallRefused",
    "CallTimedOut",
    "CannotCarry",
    "ConnectionLost",
    "CredentialsRefused",
    "Deadline",
    "HipError",
    "Limits",
    "Link",
    "Listener",
    "NotConnected",
    "NotTrusted",
    "Overloaded",
    "Peer",
    "PlaintextRefused",
    "ProtocolError",
    "RemoteError",
    "Security",
    "TooLarge",
    "convert",
    "exposed",
]
