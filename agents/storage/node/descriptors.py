"""How many files and connections a node may have open at once.

A sync for which no descriptor is left counts as one that failed, after which a disk takes nothing
more; so clients must not be able to use them up.
"""

import resource

OWN = 300  # descriptors for disks, links, logs and what is opened for a moment


def connections_within(wanted: int) -> int:
    """Have the system allow connections beside our own files; return how many it does.

    Args:
        wanted: connections at once, each of which may send a file.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = 2 * wanted + OWN
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return max(1, min(wanted, (soft - OWN) // 2))
