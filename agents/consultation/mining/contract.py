"""The contract of the interface: OpenAPI 3.1, written by hand, served as JSON."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("openapi.yaml")


@cache
def openapi() -> dict[str, Any]:
    """Return the contract."""
    found: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return found
