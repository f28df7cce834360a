"""The section `security`: which certificate an agent uses, and the way out."""

from pathlib import Path

import pytest

from agents.configuration import ConfigurationError, load
from agents.configuration.security import SecurityConfig
from agents.scheduler.config import SchedulerConfig
from anet.tunnel import Proxy
from hip import CredentialsRefused, Security


def written(folder: Path, text: str):
    """Return the configuration of a file."""
    path = folder / "tree.yaml"
    path.write_text(text)
    return load(path)


def test_without_the_section_links_stay_on_loopback(tmp_path):
    """The default is plaintext on loopback; `insecure` alone lets it go further."""
    assert written(tmp_path, "").security("scheduler") == Security()
    assert written(tmp_path, "insecure: true").security("x") == Security(insecure=True)


def test_an_agent_uses_the_folder_of_its_name(tmp_path):
    """Or that of its name without the number at its end, which serves them all."""
    for name in ("crawler", "crawler-7"):
        (tmp_path / "certs" / name).mkdir(parents=True)
    config = SecurityConfig(certificates=tmp_path / "certs")
    for name, folder in [
        ("crawler", "crawler"),
        ("crawler-7", "crawler-7"),
        ("crawler-8", "crawler"),
        ("scheduler", "scheduler"),
    ]:
        expected = Security.of_folder(tmp_path / "certs" / folder)
        assert config.of_agent(name, insecure=False) == expected


def test_a_folder_that_cannot_be_looked_at_is_named(tmp_path):
    """What the system says of it is an error of the certificate, and not one of its own."""
    security = SecurityConfig(certificates=tmp_path).of_agent(f"{'x' * 300}-7", insecure=False)
    with pytest.raises(CredentialsRefused, match="xxx/certificate.pem"):
        assert security.name


def test_a_proxy_is_read_and_its_password_not_shown(tmp_path):
    """Only links use it; what is printed of the section does not hold it."""
    text = "security: {proxy: 'http://anna:s3cret@proxy.example:3128', users: [anna]}"
    configuration = written(tmp_path, text)
    security = configuration.security("scheduler")
    assert security.proxy == Proxy.parse("http://anna:s3cret@proxy.example:3128")
    assert security.users == ("anna",)
    assert "s3cret" not in repr(configuration.section("security", SecurityConfig))


@pytest.mark.parametrize("proxy", ["proxy.example:3128", "https://p:1", "http://u:p@p"])
def test_what_is_no_proxy_is_refused_with_its_line(tmp_path, proxy):
    """The message says how one is written."""
    configuration = written(tmp_path, f"security:\n  proxy: {proxy}\n")
    with pytest.raises(ConfigurationError, match="tree.yaml:2: security.proxy: expected a proxy"):
        configuration.security("scheduler")


def test_hip_is_spoken_over_sockets_too(tmp_path):
    """Where HIP is spoken an address may be a UNIX socket; pages have none."""
    configuration = written(tmp_path, "scheduler: {address: 'unix:/run/dlweb/scheduler'}")
    config = configuration.section("scheduler", SchedulerConfig)
    assert configuration.address(0, config.address) == "unix:/run/dlweb/scheduler"
    for key, value in [("address", "unix:run"), ("pages", "unix:/run/pages")]:
        with pytest.raises(ConfigurationError, match=f"scheduler.{key}: expected an address"):
            written(tmp_path, f"scheduler: {{{key}: '{value}'}}").section(
                "scheduler", SchedulerConfig
            )
