"""The room of the live web, as it is configured."""

from typing import Any

from agents.configuration import Configuration, private_folder
from agents.consultation.config import ConsultationConfig
from agents.consultation.live.live import Live
from agents.consultation.live.recorder import Recorder
from anet.address import is_public
from anet.http import HttpClient, permit_all
from hip import Link

TO_ONE_SERVER = 6  # connections, as browsers make them
_CONNECT = 10.0  # seconds


def open_live(
    reactor: Any,
    configuration: Configuration,
    config: ConsultationConfig,
    name: str,
    scheduler: Link,
) -> Live | None:
    """Return what answers from the live web; None where the operator does not allow it."""
    if config.live == "no":
        return None
    client = HttpClient(
        reactor,
        connections=TO_ONE_SERVER,
        connect_timeout=min(_CONNECT, config.live_timeout),
        response_timeout=config.live_timeout,
        permit=permit_all if config.live_private_networks else is_public,
    )
    recorder = None
    if config.live == "record":
        crawls = private_folder(configuration.directory.absolute() / "crawls")
        period, size = config.live_period, config.live_directory_size
        recorder = Recorder(reactor, crawls, name, scheduler, period, size)
    return Live(
        reactor,
        client,
        private_folder(configuration.directory.absolute() / name),
        recorder,
        at_once=config.live_connections,
        timeout=config.live_timeout,
        size=config.live_size,
        private=config.live_record_private,
    )
