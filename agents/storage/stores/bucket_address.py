"""Where a bucket is, and where its keys are; the keys themselves are never part of it."""

import configparser
import os
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from attrs import frozen

from agents.storage.stores.errors import StoreRefused


@frozen
class BucketAddress:
    """Where a bucket is; never holds a credential.

    Attributes:
        bucket: its name.
        prefix: what the names of all objects begin with; empty, or ends with a slash.
        endpoint: base URL of the service; empty for Amazon's own.
        region: of the service.
        credentials: a file of AWS's form with the keys; empty for those of the environment.
    """

    bucket: str
    prefix: str = ""
    endpoint: str = ""
    region: str = "us-east-1"
    credentials: str = ""

    @classmethod
    def parse(cls, text: str) -> "BucketAddress":
        """Read `s3://bucket/prefix?endpoint=URL&region=NAME&credentials=FILE`.

        Raises:
            StoreRefused: it is none, or holds a secret.
        """
        try:
            parts = urlsplit(text)
        except ValueError:
            parts = urlsplit("")
        options = parse_qs(parts.query, keep_blank_values=True)
        unknown = set(options) - {"endpoint", "region", "credentials"}
        if parts.scheme != "s3" or not parts.netloc or "@" in parts.netloc or unknown:
            raise StoreRefused(
                "an object store is named s3://bucket/prefix?endpoint=URL&region=NAME"
                "&credentials=FILE; keys are never part of it"
            )
        prefix = parts.path.strip("/")
        return cls(
            bucket=parts.netloc,
            prefix=f"{prefix}/" if prefix else "",
            **{name: values[-1] for name, values in options.items()},
        )

    def __str__(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    def keys(self) -> dict[str, str]:
        """Return the keys that the file of credentials gives; none without one.

        Raises:
            StoreRefused: it gives none.
        """
        return _credentials(self.credentials) if self.credentials else {}


def _credentials(path: str) -> dict[str, str]:
    """Return the keys in a file of AWS's form."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        with Path(path).open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_size > 1 << 16:
                raise StoreRefused(f"{path} is no file of credentials: it is too large")
            parser.read_file(file)
        section = parser[next(iter(parser.sections()))]
        return {name: section[name] for name in ("aws_access_key_id", "aws_secret_access_key")}
    except (OSError, UnicodeDecodeError, configparser.Error, KeyError, StopIteration) as error:
        raise StoreRefused(
            f"{path} gives no credentials ({type(error).__name__}); it needs a section with "
            "aws_access_key_id and aws_secret_access_key"
        ) from None
