"""What can keep an archive from running, said so that a person can mend it."""

from agents.configuration import EXIT_STATUS


class ArchiveError(Exception):
    """Root of this room's errors; the message says what happened and what to do.

    Attributes:
        status: the exit status of a command that ends by it.
    """

    status = 1


class CannotStart(ArchiveError):
    """This machine lacks something; the message has one line for each thing."""


class NotRunning(ArchiveError):
    """No archive runs in the folder."""


class ConfigurationRefused(ArchiveError):
    """Sections of the configuration are refused; the message has one line for each."""

    status = EXIT_STATUS
