"""A forked child that runs one Twisted service on a reactor of its own."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from twisted.application.service import IService
from twisted.internet.defer import maybeDeferred
from twisted.logger import globalLogBeginner
from twisted.python.logfile import LogFile

from anet import logs
from anet.nursery import clean

_LOG_SIZE = 16 * 2**20  # bytes of a log file before a new one is begun
_LOG_FILES = 4  # former log files that are kept


def run_service(name: str, log: Path, make: Callable[[], IService]) -> None:
    """Run a service until SIGTERM or SIGINT, as the whole life of a forked process.

    Args:
        name: of the process, as `ps` shows it.
        log: file that everything logged or printed goes to; its folder is made.
        make: makes the service, once the process has a reactor of its own.
    """
    clean.set_process_name(name)
    _log_to(log)
    clean.forget_reactor()
    from twisted.internet import reactor as fresh

    reactor: Any = fresh
    service = make()
    cast(Any, service).privilegedStartService()
    service.startService()
    reactor.addSystemEventTrigger("before", "shutdown", maybeDeferred, service.stopService)
    reactor.run()


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = LogFile.fromFullPath(str(path), rotateLength=_LOG_SIZE, maxRotatedFiles=_LOG_FILES)
    descriptor = file._file.fileno()
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    clean.forget_observers()
    globalLogBeginner.beginLoggingTo([logs.observer(file)], redirectStandardIO=False)
