"""The options that every twistd plugin takes."""

import sys
from typing import NoReturn, TypeVar

from twisted.python import usage

from agents.configuration.errors import EXIT_STATUS, ConfigurationError
from agents.configuration.ports import number_of
from agents.configuration.tree import Configuration, load

T = TypeVar("T")


class AgentOptions(usage.Options):
    """Options of an agent; a subclass sets `agent`, its kind, and may add its own.

    Use it so: `settings = options.load().section("scheduler", SchedulerConfig)`.
    """

    agent = "agent"
    optParameters = [
        ["config", "c", None, "YAML file of the whole tree; without one, all defaults."],
        ["archive", "a", None, "The archive's folder, instead of the configured one."],
        [
            "base-port",
            "p",
            None,
            "First of the archive's hundred ports, instead of the configured.",
        ],
        ["name", "n", None, "Name of this agent; a number at its end picks its port and folder."],
    ]

    def load(self) -> Configuration:
        """Return the configuration that the options name; one refused ends the process.

        It ends with a line that says what to mend and status 78, so that whoever started the
        agent can tell a refused configuration from a crash, and does not start it again.
        """
        try:
            loaded = load(self["config"], directory=self["archive"], base_port=self["base-port"])
        except ConfigurationError as error:
            refuse(error)
        return _OfCommandLine(**{name: getattr(loaded, name) for name in Configuration.FIELDS})

    @property
    def name(self) -> str:
        """The agent's name: the one given, or its kind."""
        return str(self["name"] or self.agent)

    @property
    def number(self) -> int:
        """The number at the end of the agent's name; 1 without one."""
        return number_of(self.name)


def refuse(error: ConfigurationError) -> NoReturn:
    """Say which configuration is refused and why, and end the process with status 78."""
    sys.stderr.write(f"{error}\n")
    raise SystemExit(EXIT_STATUS)


class _OfCommandLine(Configuration):
    """A configuration whose refusal ends the process instead of raising."""

    def section(self, name: str, cls: type[T], *, partly: bool = False) -> T:
        try:
            return super().section(name, cls, partly=partly)
        except ConfigurationError as error:
            refuse(error)
