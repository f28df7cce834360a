"""What can go wrong with a store.

StorageError
└── StoreError
    ├── StoreRefused       its address or credentials are wrong, or it will not do this
    ├── StoreUnreachable   it did not answer, however often it was asked; do it again later
    ├── NotHeld            it lacks the content
    ├── NotProven          no copy of the content is what its key says
    └── OtherWriter        somebody else writes the same structure file
"""

from agents.storage.errors import StorageError


class StoreError(StorageError):
    """Root of the errors of stores; the message says what happened and what to do."""


class StoreRefused(StoreError):
    """The store says no: its address, its credentials, or what was asked of it."""


class StoreUnreachable(StoreError):
    """The store did not answer; what was acknowledged is safe, and the rest can be repeated."""


class NotHeld(StoreError):
    """The store lacks the content."""


class NotProven(StoreError):
    """Every copy of the content is damaged."""


class OtherWriter(StoreError):
    """A structure file was changed by somebody else while it was being written."""
