"""What can go wrong with following.

FollowingError
└── NotFetched   a server does not give what its manifest names
"""


class FollowingError(Exception):
    """Root of the errors of following; the message says what happened."""


class NotFetched(FollowingError):
    """A server does not give what was asked for.

    Attributes:
        status: what it answered; 0 when no answer came, or none that is whole.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_refusal(self) -> bool:
        """Whether it says that there is nothing, or nothing for us; other faults may pass."""
        return 400 <= self.status < 500 and self.status not in (408, 425, 429)
