"""A private authority in a folder: it makes, renews and revokes the certificates of agents.

    making     certificates and revocation lists, without I/O
    files      writing them, so that nobody reads half a file and no key is written over
    authority  the folder

What the links do with them is in `hip.security`.
"""

from hip.certificates.authority import FOLDER, SOON, Authority, Issued
from hip.certificates.errors import CertificateError
from hip.certificates.making import DAYS, hosts_of

__all__ = ["DAYS", "FOLDER", "SOON", "Authority", "CertificateError", "Issued", "hosts_of"]
