"""The `storage-node` section of the configuration."""

from pathlib import Path

from attrs import field, frozen, validators

from agents.configuration.checks import is_address, is_link_address
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.errors import StoreRefused
from anet.multicast import Groups

_positive = validators.gt(0)


def _is_bucket(_instance: object, _attribute: object, value: str | None) -> None:
    """Check where contents live.

    Raises:
        ValueError: it is no bucket.
    """
    try:
        if value is not None:
            BucketAddress.parse(value)
    except StoreRefused as error:
        raise ValueError(str(error)) from None


def _is_mirror(_instance: object, _attribute: object, value: str | None) -> None:
    """Check where a mirror is.

    Raises:
        ValueError: it is no folder and no bucket.
    """
    try:
        if value is not None and value.startswith("s3:"):
            BucketAddress.parse(value)
        elif value is not None and (not value or ":" in value or "," in value):
            raise StoreRefused("a folder")
    except StoreRefused as error:
        raise ValueError(f"a folder or s3://bucket/prefix?endpoint=URL ({error})") from None


@frozen
class StorageNodeConfig:
    """What a storage node keeps, where, and whom it tells.

    Attributes:
        folder: where it keeps its files; null means `storage-N` under the archive's directory.
        folders: one folder on each of its disks, in place of `folder`; a disk may be moved to
            another of them, and one that is missing is left out.
        address: "host:port" of its HTTP service and pages; null means base port + 10 + N.
        url: base URL under which others reach it; null means its address, with https:// if that is
            beyond loopback and there are certificates, else with http://.
        storage_master: the storage master's HIP address; null means base port + 2.
        place: where the node stands, from wide to narrow: "paris/room-2/rack-7"; replicas are
            kept in different places.
        safety: how many ordinary replicas one on this node's hardware is worth; RAID: 1.5.
        reserve: bytes of each disk that stay free; below them every write is refused.
        content_limit: bytes of the largest content taken.
        memory_limit: bytes of bodies in memory; larger contents go through a file.
        waiting_limit: bytes of writes that may wait for each disk.
        contents: where contents live: s3://bucket/prefix?endpoint=URL, below the name of each
            disk, which keeps them until they are there; null for the disks themselves.
        mirror: another store to which all is copied, verified: s3://bucket/prefix?endpoint=URL,
            or a folder; null for none.
        mirror_every: seconds from the end of such a copy to the next.
        threads: threads that write, sync and scan, for each disk.
        audit_rate: bytes a second that are read again and hashed on each disk, when nobody else
            needs it; 0 for never.
        audit_every: seconds from the beginning of one audit of all to that of the next.
        connections: HTTP clients at once; fewer where the system allows too few open files.
        multicast: whether it answers multicast lookups.
        all_groups: whether it joins all 256 multicast groups, or those of what it holds.
        multicast_base: first of the 256 multicast addresses.
        multicast_port: their UDP port; null means the base port.
        multicast_interface: IP address of the network card that carries them.
        multicast_ttl: routers that a question may pass, plus one; 0 stays on this machine.
    """

    folder: Path | None = None
    folders: list[Path] = field(factory=list)
    address: str | None = field(default=None, validator=is_address)
    url: str | None = None
    storage_master: str | None = field(default=None, validator=is_link_address)
    place: str = field(default="", validator=validators.max_len(200))
    safety: float = field(default=1.0, validator=[validators.gt(0), validators.le(100)])
    reserve: int = field(default=512 * 1024 * 1024, validator=validators.ge(0))
    content_limit: int = field(default=2**40, validator=_positive)
    memory_limit: int = field(default=256 * 1024, validator=_positive)
    waiting_limit: int = field(default=64 * 1024 * 1024, validator=_positive)
    contents: str | None = field(default=None, validator=_is_bucket)
    mirror: str | None = field(default=None, validator=_is_mirror)
    mirror_every: float = field(default=86_400.0, validator=validators.gt(0))
    threads: int = field(default=4, validator=[validators.ge(2), validators.le(64)])
    audit_rate: int = field(default=4 * 1024 * 1024, validator=validators.ge(0))
    audit_every: float = field(default=30 * 86_400.0, validator=validators.ge(0.0))
    connections: int = field(default=2000, validator=_positive)
    multicast: bool = True
    all_groups: bool = False
    multicast_base: str = "239.192.77.0"
    multicast_port: int | None = None
    multicast_interface: str = "127.0.0.1"
    multicast_ttl: int = field(default=0, validator=[validators.ge(0), validators.le(255)])

    def __attrs_post_init__(self) -> None:
        if self.contents is not None and self.mirror is not None:
            raise ValueError("mirror is for contents on disks; an object store has copies itself")

    def groups(self, base_port: int, secret: str) -> Groups:
        """Return the multicast groups of the archive at `base_port` that has a secret."""
        return Groups(
            self.multicast_port or base_port,
            self.multicast_base,
            self.multicast_interface,
            self.multicast_ttl,
            secret,
        )
