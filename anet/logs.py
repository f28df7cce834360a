"""Logs of agents: lines of text for people, or a JSON object a line for programs.

The environment variable `ANET_LOGS` chooses, `text` or `json`, for a process and all it starts.
"""

import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

from twisted.logger import ILogObserver, LogEvent, formatEvent, textFileLogObserver
from zope.interface import implementer

VARIABLE = "ANET_LOGS"


@implementer(ILogObserver)
class JsonLines:
    """Writes each event as one line of JSON: time, level, system, message, and any traceback."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __call__(self, event: LogEvent) -> None:
        """Write one event."""
        level = event.get("log_level")
        line: dict[str, str] = {
            "time": datetime.fromtimestamp(event["log_time"], UTC).isoformat(),
            "level": "info" if level is None else level.name,
            "system": str(event.get("log_system") or event.get("log_namespace") or "-"),
            "message": formatEvent(event),
        }
        if "log_failure" in event:
            line["traceback"] = event["log_failure"].getTraceback()
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()


def observer(file: Any = None) -> Any:
    """Return what writes events to a file, or to standard output; twistd's `--logger` calls it."""
    file = file or sys.stdout
    if os.environ.get(VARIABLE) == "json":
        return JsonLines(file)
    return textFileLogObserver(file)
