"""What can go wrong in the streaming agent.

StreamingError
├── TooMany      more streams than this agent listens to
├── NotCanonical a URL is not in the form in which streams are named
└── FolderTaken  another process records into this agent's folder
"""


class StreamingError(Exception):
    """Root of the streaming agent's errors; the message says what happened."""


class TooMany(StreamingError):
    """More streams than this agent listens to; give them to another, or raise its limit."""


class NotCanonical(StreamingError):
    """A URL is not in the form in which streams are named (`agents.stream.canonical`)."""


class FolderTaken(StreamingError):
    """Another process records into this agent's folder."""
