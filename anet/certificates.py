"""What all certificates of our own authorities have in common, made without I/O."""

from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_NAME_LIMIT = 64  # characters of a common name (RFC 5280)


def named(name: str) -> x509.Name:
    """Return a name as certificates have it, cut to what they may hold."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:_NAME_LIMIT])])


def certificate_builder(
    subject: x509.Name,
    issuer: x509.Name,
    public: ec.EllipticCurvePublicKey,
    since: datetime,
    until: datetime,
) -> x509.CertificateBuilder:
    """Return a certificate that lacks what it may be used for, and the signature."""
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def key_usage(signs_certificates: bool) -> x509.KeyUsage:
    """Return the use of a key: an authority's signs certificates, any other signs handshakes."""
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
