"""Which URLs look as if a program made their content (*INA §1.4.1, §1.4.4*). Pure."""

import re

_PROGRAM = re.compile(
    r"\.(?:php\d?|phtml|aspx?|ashx|asmx|jspx?|jsf|faces|do|action|cgi|fcgi|pl|cfml?"
    r"|dll|nsf|xsp|shtml)(?=[/;]|\Z)"
    r"|/(?:cgi(?:-bin|-win)?|fcgi-bin|servlets?|scripts/isapi|wp-json|_vti_bin)/",
    re.IGNORECASE,
)


def looks_dynamic(url: str) -> bool:
    """Tell whether a canonical URL looks dynamic: it has a query, or the name of a program."""
    return "?" in url or _PROGRAM.search(url, url.index("/", 8)) is not None
