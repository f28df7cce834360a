"""What documents link to: one parser a content format, all with one small interface (*INA §1.4.3*).

A parser takes the bytes of a document chunk by chunk, as they come, even one byte at a time, and
yields links as it finds them. It does no input or output; who made it resolves the links and
decides which are followed. `parser_for` chooses the parser of a document.
"""

from agents.crawler.parsers.link import COMPONENT, PAGE, Link, Parser
from agents.crawler.parsers.registry import parser_for

__all__ = ["COMPONENT", "PAGE", "Link", "Parser", "parser_for"]
