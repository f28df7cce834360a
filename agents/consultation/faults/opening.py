"""What becomes of holes, as it is configured."""

from typing import Any

from agents.configuration import Configuration, private_folder
from agents.consultation.config import ConsultationConfig
from agents.consultation.faults.missing import Missing
from agents.consultation.faults.missing_log import MissingLog
from agents.consultation.faults.reporting import Reporting
from anet.workers import Workers
from hip import Link

FILE = "missing"


def open_reporting(
    reactor: Any,
    configuration: Configuration,
    config: ConsultationConfig,
    name: str,
    missing: Missing,
    scheduler: Link,
) -> Reporting:
    """Return the service that writes holes down, and tells the scheduler of them."""
    log = None
    if config.missing_log:
        folder = private_folder(configuration.directory.absolute() / name)
        log = MissingLog(folder / FILE, config.faults)
    return Reporting(reactor, missing, log, scheduler, Workers(reactor, 1, name="missing links"))
