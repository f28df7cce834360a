"""`hip certs`: a private authority in a folder, by one command."""

import os
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from hip.certificates import Authority, CertificateError, hosts_of
from hip.certs_command import run_certs
from hip.command import parser
from hip.errors import HipError
from hip.security import Identity


def certs(folder: Path, *words: str) -> str:
    """Run `hip certs` on a folder, and return what it prints."""
    return run_certs(parser().parse_args(["certs", *words, "--directory", str(folder)]))


def modes(folder: Path) -> set[int]:
    """Return the permissions of every file below a folder."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*") if path.is_file()}


def test_one_command_is_enough(tmp_path):
    """The first use makes the authority too; keys are their owner's alone."""
    folder = tmp_path / "certs"
    said = certs(folder, "create", "scheduler", "--host", "a.example", "--host", "2001:db8::1")
    assert "Made an authority" in said
    assert "scheduler (scheduler) at a.example, 2001:db8::1" in said
    assert {path.name for path in (folder / "scheduler").iterdir()} == {
        "certificate.pem",
        "key.pem",
        "authority.pem",
        "revoked.pem",
    }
    assert modes(folder) == {0o600}
    assert stat.S_IMODE((folder / "authority").stat().st_mode) == 0o700
    assert "authority" not in certs(folder, "create", "nursery").partition(":")[0]


def test_what_the_certificate_says(tmp_path):
    """Name and roles as URIs; a slave's is for no host, and not for a server."""
    certs(tmp_path, "create", "crawler", "--role", "site-crawler", "--role", "x/y")
    data = (tmp_path / "crawler" / "certificate.pem").read_bytes()
    certificate = x509.load_pem_x509_certificate(data)
    assert Identity.of(certificate) == Identity("crawler", frozenset({"site-crawler", "x/y"}))
    assert hosts_of(certificate) == []
    uses = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [use._name for use in uses] == ["clientAuth"]
    certs(tmp_path, "create", "index-1")
    assert certs(tmp_path, "list").splitlines()[1].startswith("index-1 (index), until ")


def test_openssl_agrees(tmp_path):
    """Another implementation takes the certificate until it is revoked."""
    certs(tmp_path, "create", "agent", "--host", "a.example")
    check = ["openssl", "verify", "-crl_check", "-x509_strict", "-purpose", "sslserver"]
    check += ["-CAfile", "authority.pem", "-CRLfile", "revoked.pem", "certificate.pem"]
    done = subprocess.run(check, cwd=tmp_path / "agent", capture_output=True, text=True)
    assert done.stdout.strip() == "certificate.pem: OK", done.stderr
    certs(tmp_path, "revoke", "agent")
    done = subprocess.run(check, cwd=tmp_path / "agent", capture_output=True, text=True)
    assert "certificate revoked" in done.stderr


def test_a_key_is_never_written_over(tmp_path):
    """Neither an agent's nor the authority's; the error says what to do."""
    certs(tmp_path, "create", "agent")
    keys = {path: path.read_bytes() for path in tmp_path.rglob("key.pem")}
    with pytest.raises(HipError, match=r"has a key already: `hip certs renew agent`"):
        certs(tmp_path, "create", "agent")
    certs(tmp_path, "renew", "agent")
    certs(tmp_path, "create", "other")
    assert {path: path.read_bytes() for path in keys} == keys


def test_revoking_reaches_every_certificate_and_folder(tmp_path):
    """Those before a renewal too; the list comes into the folder of each agent."""
    certs(tmp_path, "create", "good")
    certs(tmp_path, "create", "bad")
    certs(tmp_path, "renew", "bad")
    assert "Revoked 2 certificates of bad." in certs(tmp_path, "revoke", "bad")
    for name in ("good", "bad", "authority"):
        found = x509.load_pem_x509_crl((tmp_path / name / "revoked.pem").read_bytes())
        assert len(list(found)) == 2
    states = [line.endswith(", revoked") for line in certs(tmp_path, "list").splitlines()]
    assert states == [True, True, False]
    for words in (["revoke", "bad"], ["revoke", "nobody"], ["renew", "bad"]):
        with pytest.raises(HipError, match="bad|nobody"):
            certs(tmp_path, *words)


def test_renewing_takes_what_runs_out_soon(tmp_path):
    """Without names the list is renewed, and certificates that have less than 30 days left."""
    certs(tmp_path, "create", "short", "--days", "20", "--host", "a.example")
    certs(tmp_path, "create", "long")
    assert "runs out soon" in certs(tmp_path, "list")
    said = certs(tmp_path, "renew")
    assert "short (short) at a.example" in said
    assert "long" not in said
    later = datetime.now(UTC) + timedelta(days=200)
    listed = Authority(tmp_path, now=later)
    listed.renew()
    data = (tmp_path / "long" / "revoked.pem").read_bytes()
    assert x509.load_pem_x509_crl(data).next_update_utc > later + timedelta(days=300)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["create", "../x"], "cannot be the name"),
        (["create", "authority"], "cannot be the name"),
        (["create", "x", "--host", "a:1"], "is no host"),
        (["create", "x", "--host", "é"], "is no host"),
        (["create", "x", "--days", "0"], "1 to 3650 days"),
        (["list"], "has no authority: `hip certs create` makes one"),
        (["revoke", "x"], "has no authority"),
        (["renew"], "has no authority"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(tmp_path, words, why):
    """What cannot be is refused before a key is made."""
    with pytest.raises(HipError, match=why) as caught:
        certs(tmp_path, *words)
    assert len(str(caught.value).splitlines()) == 1
    assert not (tmp_path / "x").exists()


def test_damaged_files_are_named(tmp_path):
    """A file of the authority that holds something else is said by its name."""
    certs(tmp_path, "create", "agent")
    for name, words in [("revoked.pem", ["list"]), ("certificate.pem", ["create", "b"])]:
        path = tmp_path / "authority" / name
        path.write_text("nonsense")
        with pytest.raises(HipError, match=name):
            certs(tmp_path, *words)
    path = tmp_path / "file"
    path.write_text("")
    with pytest.raises(HipError, match="Not a directory|File exists"):
        certs(path, "create", "x")


@given(st.text())
def test_any_name_is_a_file_or_an_error(name):
    """No name leads out of the folder."""
    try:
        Authority(Path("/dev/null")).create(name)
    except CertificateError as error:
        assert "cannot be the name" in str(error)
    except OSError:
        assert os.sep not in name
