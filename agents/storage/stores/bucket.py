"""One bucket of an object store: plain calls that block, and typed errors.

Beside `put` of small objects there is nothing that a store could take half: a large object is
there only once all its parts are. Every call is repeated a few times by the library.
"""

from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from agents.storage.errors import DigestMismatch
from agents.storage.stores.bucket_address import BucketAddress
from agents.storage.stores.errors import NotHeld, OtherWriter, StoreRefused, StoreUnreachable

PART = 16 << 20  # bytes of an object that are sent at once; larger ones go in parts
_PARTS = 9000  # of one object; S3 takes 10,000
_ATTEMPTS = 5
_ABSENT = frozenset(("404", "NoSuchKey", "NotFound"))
_REFUSED = frozenset(
    ("AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "NoSuchBucket")
    + ("InvalidBucketName", "AuthorizationHeaderMalformed", "PermanentRedirect")
    + ("301", "400", "401", "403", "405", "501")
)
_MISTAKES = frozenset(("NoCredentialsError", "PartialCredentialsError", "InvalidRegionError"))
_CHANGED = frozenset(("PreconditionFailed", "ConditionalRequestConflict", "409", "412"))


class Bucket:
    """Objects under the prefix of a bucket; its methods block, and may be called from threads.

    Raises:
        StoreRefused: the extra `s3` is not installed, or the credentials cannot be read.
    """

    def __init__(self, address: BucketAddress) -> None:
        try:
            import boto3
            from botocore.config import Config
        except ImportError:
            raise StoreRefused(
                "object stores need the extra `s3`: pip install 'dlweb[s3]'"
            ) from None
        self._address = address
        how = Config(
            connect_timeout=10,
            read_timeout=60,
            max_pool_connections=32,
            retries={"max_attempts": _ATTEMPTS, "mode": "standard"},
            s3={"addressing_style": "path" if address.endpoint else "auto"},
        )
        with self._errors(""):
            self._client: Any = boto3.session.Session().client(
                "s3",
                endpoint_url=address.endpoint or None,
                region_name=address.region,
                config=how,
                **address.keys(),
            )

    def put(self, name: str, data: bytes, *, replacing: str | None = None) -> None:
        """Write an object; the store checks its SHA-256 as it arrives.

        Args:
            name: its name, below the prefix.
            data: its bytes.
            replacing: the tag of what is there, or empty for nothing; None does not ask.

        Raises:
            OtherWriter: something else is there by now.
        """
        digest = b64encode(sha256(data).digest()).decode("ascii")
        with self._errors(name):
            self._client.put_object(
                **self._named(name), Body=data, ChecksumSHA256=digest, **_conditions(replacing)
            )

    def put_file(
        self, name: str, path: Path, key: str = "", *, replacing: str | None = None
    ) -> None:
        """Write an object from a file, in parts when it is large; whole or not at all.

        Args:
            name: its name, below the prefix.
            path: the file.
            key: what its bytes must hash to; empty for anything.
            replacing: as in `put`.

        Raises:
            DigestMismatch: the file is not what the key says.
            OtherWriter: as in `put`.
        """
        size = path.stat().st_size
        with path.open("rb") as file:
            if size <= PART:
                data = file.read()
                _compare(sha256(data).hexdigest(), key)
                self.put(name, data, replacing=replacing)
            else:
                length = max(PART, -(-size // _PARTS))
                self._put_parts(name, file, key, length, _conditions(replacing))

    def _put_parts(
        self, name: str, file: IO[bytes], key: str, length: int, conditions: dict[str, str]
    ) -> None:
        with self._errors(name):
            upload = self._client.create_multipart_upload(**self._named(name))["UploadId"]
            named = self._named(name) | {"UploadId": upload}
            whole = sha256()
            parts: list[dict[str, Any]] = []
            try:
                while data := file.read(length):
                    whole.update(data)
                    part = {"PartNumber": len(parts) + 1}
                    digest = b64encode(sha256(data).digest()).decode("ascii")
                    sent = self._client.upload_part(
                        **named, **part, Body=data, ChecksumSHA256=digest
                    )
                    parts.append(part | {"ETag": sent["ETag"]})
                _compare(whole.hexdigest(), key)
                self._client.complete_multipart_upload(
                    **named, **conditions, MultipartUpload={"Parts": parts}
                )
            except BaseException:
                self._client.abort_multipart_upload(**named)
                raise

    def size(self, name: str) -> int | None:
        """Return the bytes of an object, or None when there is none."""
        try:
            with self._errors(name):
                return int(self._client.head_object(**self._named(name))["ContentLength"])
        except NotHeld:
            return None

    def get(self, name: str, start: int = 0, size: int | None = None) -> tuple[Any, str]:
        """Return the open body of an object, or of a part of it, and its tag.

        Raises:
            NotHeld: there is none.
        """
        part: dict[str, str] = {}
        if start or size is not None:
            part["Range"] = f"bytes={start}-{'' if size is None else start + size - 1}"
        with self._errors(name):
            found = self._client.get_object(**self._named(name), **part)
        return found["Body"], found["ETag"]

    def read(self, body: Any, most: int) -> bytes:
        """Return the next bytes of an open body; nothing at its end."""
        with self._errors(""):
            data: bytes = body.read(most)
        return data

    def names(self, folder: str, after: str, limit: int) -> list[tuple[str, int]]:
        """Return names below the prefix in a folder after one, in order, and their sizes."""
        top = self._address.prefix
        start = {"StartAfter": top + after} if after else {}
        with self._errors(""):
            found = self._client.list_objects_v2(
                Bucket=self._address.bucket, Prefix=f"{top}{folder}/", MaxKeys=limit, **start
            )
        return [(each["Key"][len(top) :], each["Size"]) for each in found.get("Contents", ())]

    def make(self) -> None:
        """Make the bucket, if it is not there."""
        if not self.is_there():
            with self._errors(""):
                self._client.create_bucket(Bucket=self._address.bucket)

    def is_there(self) -> bool:
        """Tell whether the bucket exists.

        Raises:
            StoreRefused: it is not ours to see.
        """
        try:
            with self._errors(""):
                self._client.head_bucket(Bucket=self._address.bucket)
        except NotHeld:
            return False
        return True

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _named(self, name: str) -> dict[str, str]:
        return {"Bucket": self._address.bucket, "Key": self._address.prefix + name}

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """Turn the library's errors into ours; none of them holds a credential."""
        from botocore.exceptions import BotoCoreError, ClientError
        from urllib3.exceptions import HTTPError

        place = f"{self._address}{name}"
        try:
            yield
        except ClientError as error:
            raise _typed(error.response.get("Error", {}), place) from None
        except (BotoCoreError, HTTPError, ValueError) as error:
            kind = type(error).__name__
            if kind in _MISTAKES:
                raise StoreRefused(
                    f"{place}: {error}; see docs/how-to/use-an-object-store.md"
                ) from None
            raise StoreUnreachable(f"{place} does not answer ({kind})") from None


def _typed(error: dict[str, str], place: str) -> Exception:
    code, words = str(error.get("Code", "")), str(error.get("Message", ""))[:300]
    if code in _ABSENT:
        return NotHeld(f"{place}: it is not there")
    if code in _CHANGED:
        return OtherWriter(f"{place}: somebody else writes it; a bucket has one writer")
    if code == "BadDigest":
        return DigestMismatch(f"{place}: the bytes changed on their way; send them again")
    if code in _REFUSED:
        return StoreRefused(f"{place}: {code}: {words}; see its address and credentials")
    return StoreUnreachable(f"{place}: {code}: {words}")


def _conditions(replacing: str | None) -> dict[str, str]:
    if replacing is None:
        return {}
    return {"IfMatch": replacing} if replacing else {"IfNoneMatch": "*"}


def _compare(found: str, key: str) -> None:
    if key and found != key:
        raise DigestMismatch(f"the body hashes to {found}, not to {key}; send it again")
