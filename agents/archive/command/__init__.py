"""The `dlweb` command, for people: one module a verb."""

from agents.archive.command.main import main

__all__ = ["main"]
