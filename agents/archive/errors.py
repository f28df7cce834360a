"""What can keep an archive from running, said so that a person can mend it."""


class ArchiveError(Exception):
    """Root of this room's errors; the message says what happened and what to do."""


class CannotStart(ArchiveError):
    """This machine lacks something; the message has one line for each thing."""


class NotRunning(ArchiveError):
    """No archive runs in the folder."""
