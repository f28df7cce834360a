"""Which store an address names."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.configuration import Configuration
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.cluster import ClusterStore
from agents.storage.stores.errors import StoreRefused
from agents.storage.stores.folder import FolderStore
from agents.storage.stores.s3 import S3Store
from anet.workers import Workers

CLUSTER = "cluster:"


def store_at(
    reactor: Any, address: str, workers: Workers, configured: Callable[[str], Configuration]
) -> Any:
    """Return the `IStore` that an address names, not yet open.

    Args:
        reactor: connects and waits.
        address: `s3://bucket/prefix?endpoint=URL`; `cluster:FILE`, the configuration of an
            archive that runs, or `cluster:FOLDER`, its folder; the folder of a disk, several
            with commas between them, or a folder that holds such folders.
        workers: threads for what blocks.
        configured: reads the configuration of an archive that runs.

    Raises:
        StoreRefused: it names none.
        ConfigurationError: the configuration is refused.
    """
    if address.startswith("s3:"):
        return S3Store(BucketAddress.parse(address), workers)
    if address.startswith(CLUSTER):
        return ClusterStore(reactor, configured(address.removeprefix(CLUSTER)), workers)
    if "://" in address:
        raise StoreRefused(f"{address.partition(':')[0]}: is no kind of store that is known here")
    return FolderStore(_folders(address), workers)


def absolute(address: str) -> str:
    """Return an address that names the same store in whatever folder a command is given."""
    if address.startswith("s3:"):
        return address
    kind = CLUSTER if address.startswith(CLUSTER) else ""
    names = filter(None, address.removeprefix(kind).split(","))
    return kind + ",".join(map(os.path.realpath, names))


def _folders(address: str) -> list[Path]:
    """Return the folders of disks that are named, or found in what is named."""
    folders: list[Path] = []
    for name in filter(None, address.split(",")):
        path = Path(name)
        inside = [] if (path / "layout").is_file() or not path.is_dir() else sorted(path.iterdir())
        folders += [each for each in inside if (each / "layout").is_file()] or [path]
    if not folders:
        raise StoreRefused("name a folder, s3://bucket/prefix or cluster:CONFIGURATION")
    return folders
