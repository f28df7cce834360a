"""`dlweb check`: would every agent take the configuration?"""

import argparse
import sys
from typing import Any

from agents.archive.errors import ConfigurationRefused
from agents.archive.sections import all_sections
from agents.configuration import ConfigurationError, load


async def check(_reactor: Any, options: argparse.Namespace) -> int:
    """Check the whole configuration.

    Raises:
        ConfigurationError: the file itself is refused.
        ConfigurationRefused: sections are; a line for each.
    """
    configuration = load(options.config, directory=options.archive, base_port=options.base_port)
    refused = []
    for name, cls in all_sections().items():
        try:
            configuration.section(name, cls)
        except ConfigurationError as error:
            refused.append(str(error))
    if refused:
        raise ConfigurationRefused("\n".join(refused))
    sys.stdout.write(
        f"{configuration.file}: in order; the archive is {configuration.directory}, "
        f"its ports are {configuration.base_port} to {configuration.base_port + 99}\n"
    )
    return 0
