"""`hip certs`: a private authority in a folder, by one command."""

import os
import shutil
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from hypothesis import given
from hypothesis import strategies as st

from hip.certificates import Authority, CertificateError, hosts_of
from hip.command import parser
from hip.command.certs import run_certs
from hip.errors import HipError
from hip.security import Identity, Security
from hip.security.credentials import Credentials


def certs(folder: Path, *words: str) -> str:
    """Run `hip certs` on a folder, and return what it prints."""
    return run_certs(parser().parse_args(["certs", *words, "--directory", str(folder)]))


def modes(folder: Path, pattern: str) -> set[int]:
    """Return the permissions of all below a folder that has such a name."""
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.rglob(pattern)}


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
    assert modes(folder, "key.pem") == {0o600}
    assert modes(folder, "revoked.pem") <= {0o600, 0o644}  # by the umask
    assert modes(folder, "authority") == modes(folder, "scheduler") == {0o700}
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


def test_nothing_of_a_revoked_agent_is_renewed(tmp_path):
    """Neither its last certificate, nor one before it that ran out by itself."""
    begun = datetime.now(UTC) - timedelta(days=400)
    Authority(tmp_path, begun).create("stolen")
    Authority(tmp_path, begun + timedelta(days=360)).renew(["stolen"])
    certs(tmp_path, "revoke", "stolen")
    assert "stolen" not in certs(tmp_path, "renew")
    assert all(it.revoked for it in Authority(tmp_path).issued())


def test_the_newest_key_is_renewed(tmp_path):
    """Of two that an agent has had, its folder has the second, however long each is good."""
    before = datetime.now(UTC) - timedelta(days=1)
    Authority(tmp_path, before).create("agent")
    shutil.rmtree(tmp_path / "agent")
    certs(tmp_path, "create", "agent", "--days", "20")
    certs(tmp_path, "renew", "agent")
    Credentials(Security.of_folder(tmp_path / "agent"), lambda *_: True).current()


def test_what_an_authority_must_not_lose(tmp_path):
    """Without its key or its list no other one takes their place unnoticed."""
    certs(tmp_path, "create", "agent")
    own = tmp_path / "authority"
    for name, words in [("revoked.pem", ["renew"]), ("key.pem", ["create", "b"])]:
        (own / name).rename(tmp_path / "kept")
        with pytest.raises(HipError, match=rf"authority/{name} is missing"):
            certs(tmp_path, *words)
        assert not (own / name).exists()
        (tmp_path / "kept").rename(own / name)
    certs(tmp_path / "others", "create", "agent")
    shutil.copy(tmp_path / "others" / "authority" / "key.pem", own)
    with pytest.raises(HipError, match=r"key.pem is not the key of .*certificate.pem"):
        certs(tmp_path, "renew")


def test_an_authority_that_has_run_out(tmp_path):
    """What it would sign counts nowhere, so that it signs nothing."""
    Authority(tmp_path, datetime.now(UTC) - timedelta(days=3651)).create("agent")
    for words in (["create", "b"], ["renew"], ["revoke", "agent"]):
        with pytest.raises(HipError, match="ran out on .*make an authority and all"):
            certs(tmp_path, *words)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["create", "../x"], "cannot be the name"),
        (["create", "authority"], "cannot be the name"),
        (["create", "x", "--host", "a:1"], "is no host"),
        (["create", "x", "--host", "é"], "is no host"),
        (["create", "x", "--days", "0"], "1 to 3650 days"),
        (["create", "x", "--days", "-1"], "1 to 3650 days"),
        (["renew", "x", "--days", "3651"], "1 to 3650 days"),
        (["create", "x", "--role", ""], "at most 100 roles"),
        (["create", "x", "--role", "a\nb"], "at most 100 roles"),
        (["create", "x", "--role", "\udcff"], "at most 100 roles"),
        (["create", "x", *(f"--role={n}" for n in range(101))], "at most 100 roles"),
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
    assert not (tmp_path / "authority" / "key.pem").exists()


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
