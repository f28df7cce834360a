"""What goes wrong with an authority."""

from hip.errors import HipError


class CertificateError(HipError):
    """A certificate cannot be made, renewed or revoked; the message says why."""
