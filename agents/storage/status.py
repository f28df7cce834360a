"""What the agents of the replication layer tell each other of themselves."""

from typing import Any

from attrs import field, frozen, validators

from agents.capture import is_key
from agents.storage.disk.additions import Entry
from agents.storage.replicas import Rules

_LARGEST = (1 << 63) - 1  # that databases take
_MARK_LENGTH = 16  # hexadecimal digits
_position: Any = [validators.ge(0), validators.le(_LARGEST)]


@frozen
class DiskStatus:
    """One disk of a storage node, as the node describes it.

    Attributes:
        name: kept on the disk itself, 8 hexadecimal digits.
        folder: where it is mounted.
        size: bytes of the file system.
        free: bytes that may still be written.
        contents: contents held.
        structures: structure files held.
        failed: why nothing is written to it any more, or empty.
        errors: reads and writes that the system could not do since the node started.
        last_error: the newest of them.
        audited: when the last whole audit ended, in seconds since the epoch; 0 for never.
        auditing: how much of an audit is done, from 0 to 1; None when there is none.
        damaged: files in quarantine.
        log: id of its log of additions; empty for a node that does not tell.
        position: where that log ends, in bytes.
    """

    name: str
    folder: str
    size: int = 0
    free: int = 0
    contents: int = 0
    structures: int = 0
    failed: str = ""
    errors: int = 0
    last_error: str = ""
    audited: float = 0.0
    auditing: float | None = None
    damaged: int = 0
    log: str = ""
    position: int = 0


@frozen
class NodeStatus:
    """A storage node, as it describes itself.

    Attributes:
        name: unique in the archive.
        url: base URL of its HTTP service.
        free: bytes that it may still write, on all disks.
        contents: contents held.
        structures: structure files held.
        failed: why it writes no more, or empty.
        disks: those that are there.
        missing: why each of its other disks is not, by folder.
        place: where it stands, from wide to narrow: "paris/room-2/rack-7".
        safety: how many ordinary replicas one on this hardware is worth.
        groups: the multicast groups it listens to, 256 bits in hexadecimal; empty for a
            node that does not tell.
        draining: whether it shall take nothing new, and be emptied.
    """

    name: str
    url: str
    free: int = 0
    contents: int = 0
    structures: int = 0
    failed: str = ""
    disks: list[DiskStatus] = field(factory=list)
    missing: dict[str, str] = field(factory=dict)
    place: str = field(default="", validator=validators.max_len(200))
    safety: float = field(default=1.0, validator=[validators.gt(0), validators.le(100)])
    groups: str = field(default="", validator=validators.max_len(64))
    draining: bool = False


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
class IndexStatus:
    """An index node, as it describes itself.

    Attributes:
        name: unique in the archive.
        address: "host:port" where depositors and readers link to it.
    """

    name: str
    address: str


@frozen
class Cluster:
    """What an index node must know to place and to record.

    Attributes:
        rules: how many replicas are wanted of what.
        nodes: all that the master has ever known.
        index_nodes: those that are up; they share the keys.
        young: whether the master has just started, so that nodes may be up and not linked yet.
    """

    rules: Rules = field(factory=Rules)
    nodes: list[NodeState] = field(factory=list)
    index_nodes: list[IndexStatus] = field(factory=list)
    young: bool = False


@frozen
class Change:
    """A part of what is another in a cluster than it was told before.

    Attributes:
        nodes: those that are new, or have changed.
        gone: names of those that are known no more.
        whole: whether what was told before counts no more.
        more: whether another part follows, and only then all of it counts.
        rules: as in `Cluster`, in the last part.
        index_nodes: as in `Cluster`, in the last part.
        young: as in `Cluster`, in the last part.
    """

    nodes: list[NodeState] = field(factory=list)
    gone: list[str] = field(factory=list)
    whole: bool = False
    more: bool = False
    rules: Rules = field(factory=Rules)
    index_nodes: list[IndexStatus] = field(factory=list)
    young: bool = False


@frozen
class Followed:
    """How far somebody has followed a node's log of additions.

    Attributes:
        log: id of the log; empty when nothing is known yet.
        position: bytes of it that have been taken in, durably.
    """

    log: str = ""
    position: int = 0


def _are_sound(_: object, __: object, entries: list[Entry]) -> None:
    """Refuse entries that no log has, for they come from peers, and databases trust them.

    Raises:
        ValueError: a key is none, or a size or a mark is out of bounds.
    """
    for each in entries:
        if not (is_key(each.key) and 0 <= each.size <= _LARGEST and len(each.mark) <= _MARK_LENGTH):
            raise ValueError(f"no log has an entry of the key {each.key[:80]!r} and such a size")


@frozen
class Added:
    """A part of a node's log of additions, as it is sent.

    Attributes:
        log: id of the log.
        since: where the part begins.
        position: where it ends.
        entries: what was added.
        disk: whose log it is.
    """

    log: str
    since: int = field(validator=_position)
    position: int = field(validator=_position)
    entries: list[Entry] = field(validator=_are_sound)
    disk: str = ""
