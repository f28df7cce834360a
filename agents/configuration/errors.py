"""What goes wrong with a configuration, said so that its author can mend it."""

EXIT_STATUS = 78
"""The exit status of a process whose configuration is refused (EX_CONFIG of sysexits.h)."""


class ConfigurationError(Exception):
    """A configuration is refused.

    Attributes:
        file: the file's name as the operator gave it, or the option that is to blame.
        line: line of the file, from 1; 0 when no line is to blame.
        key: the key, with its section before it (`scheduler.delay`); may be empty.
        message: what was expected and what was found.
    """

    def __init__(self, file: str, line: int, key: str, message: str) -> None:
        super().__init__(file, line, key, message)
        self.file = file
        self.line = line
        self.key = key
        self.message = message

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"
