"""Which logs have not been read to where they ended when their nodes came: what is not known yet.

A log that was made again is read from its start, and until its end its disk seems to hold less than
it does. So nothing is called safe elsewhere, or enough, while one is unread. What a node adds while
it is linked is not waited for: additions are told of at once, and looked at once they have settled.

A disk is UNREAD --a part reaches the end--> READ, and READ --its log is another one now--> UNREAD;
it is UNREAD when its node registers, unless the master has followed its log to the end.
"""

from collections.abc import Iterable

from agents.storage.master.orders import Drain
from agents.storage.status import DiskStatus, Followed


class Unread:
    """The disks of all nodes that have registered since the master started."""

    def __init__(self) -> None:
        self._nodes: dict[str, dict[str, Followed]] = {}  # where the log of each disk ends
        self._unread: set[tuple[str, str]] = set()

    def registers(
        self, node: str, disks: Iterable[DiskStatus], followed: dict[str, Followed]
    ) -> bool:
        """Take the disks of a node that comes; return whether one is unread.

        One of which the master has followed more than there is counts too: it is made again.
        """
        self.forget(node)
        ends = self._nodes[node] = {disk.name: _end(disk) for disk in disks}
        self._unread |= {
            (node, name) for name, end in ends.items() if end.log and end != followed.get(name)
        }
        return node in self.nodes

    def says(self, node: str, disks: Iterable[DiskStatus]) -> bool:
        """Take what a node says of its disks; return whether one has another log now."""
        ends, known = {disk.name: _end(disk) for disk in disks}, self._nodes.get(node, {})
        renewed = {name for name, end in ends.items() if end.log != known.get(name, end).log}
        self._unread = {place for place in self._unread if place[0] != node or place[1] in ends}
        self._unread |= {(node, name) for name in renewed}
        kept = {name: end for name, end in known.items() if name in ends and name not in renewed}
        self._nodes[node] = {**ends, **kept}
        return bool(renewed)

    def took(self, node: str, disk: str, followed: Followed) -> bool:
        """Take how far a log has been followed; return whether that changes what is known."""
        end, place = self._nodes.get(node, {}).get(disk, Followed()), (node, disk)
        is_read = not end.log or (end.log == followed.log and end.position <= followed.position)
        if is_read is (place not in self._unread):
            return False
        self._unread ^= {place}
        return True

    def forget(self, node: str) -> None:
        """Know a node no more."""
        self._nodes.pop(node, None)
        self._unread = {place for place in self._unread if place[0] != node}

    @property
    def nodes(self) -> set[str]:
        """Names of the nodes that have a log which is unread."""
        return {node for node, _ in self._unread}

    def is_read(self, drain: Drain) -> bool:
        """Tell whether all is known of what a drain is to empty.

        Of a node that has not registered since the master started nobody knows that.
        """
        if drain.node not in self._nodes:
            return False
        return not any(drain in (Drain(node), Drain(node, disk)) for node, disk in self._unread)


def _end(disk: DiskStatus) -> Followed:
    return Followed(disk.log, disk.position)
