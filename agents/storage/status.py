"""What the agents of the replication layer tell each other of themselves."""

from attrs import field, frozen

from agents.storage.disk.additions import Entry


@frozen
class NodeStatus:
    """A storage node, as it describes itself.

    Attributes:
        name: unique in the archive.
        url: base URL of its HTTP service.
        free: bytes that it may still write.
        contents: contents held.
        structures: structure files held.
        failed: why it writes no more, or empty.
    """

    name: str
    url: str
    free: int = 0
    contents: int = 0
    structures: int = 0
    failed: str = ""


@frozen
class NodeState:
    """A storage node, as the master knows it.

    Attributes:
        status: what it said of itself last.
        up: whether its link is there.
    """

    status: NodeStatus
    up: bool

    @property
    def name(self) -> str:
        """The node's name."""
        return self.status.name


@frozen
class Cluster:
    """What an index node must know to place and to record.

    Attributes:
        replicas: nodes that shall hold each content and each structure file.
        nodes: all that the master has ever known.
    """

    replicas: int = 2
    nodes: list[NodeState] = field(factory=list)


@frozen
class Followed:
    """How far somebody has followed a node's log of additions.

    Attributes:
        log: id of the log; empty when nothing is known yet.
        position: bytes of it that have been taken in, durably.
    """

    log: str = ""
    position: int = 0


@frozen
class Added:
    """A part of a node's log of additions, as it is sent.

    Attributes:
        log: id of the log.
        since: where the part begins.
        position: where it ends.
        entries: what was added.
    """

    log: str
    since: int
    position: int
    entries: list[Entry]


@frozen
class IndexStatus:
    """An index node, as it describes itself.

    Attributes:
        name: unique in the archive.
        address: "host:port" where depositors and readers link to it.
    """

    name: str
    address: str
