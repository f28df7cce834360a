"""MPEG-DASH (ISO/IEC 23009-1), live: manifests, the segments they mean, and when to read them.

manifest    what a manifest says, as values
reading     XML → manifest, within limits
addressing  which segments there are, by templates, timelines and lists
policy      what can be had now, and when to look again
"""

from anet.media.dash.manifest import Manifest, Period, Representation, Timing
from anet.media.dash.policy import is_over, next_look, tracks
from anet.media.dash.reading import read_manifest

__all__ = [
    "Manifest",
    "Period",
    "Representation",
    "Timing",
    "is_over",
    "next_look",
    "read_manifest",
    "tracks",
]
