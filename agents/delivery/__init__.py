"""Contents on their way to storage nodes: what is spoken in `agents.bundle`, put together and sent.

parcels   which contents go together, and where to
sending   one parcel to one node
"""

from agents.delivery.parcels import Parcel, parcels
from agents.delivery.sending import Load, NotTaken, Sender

__all__ = ["Load", "NotTaken", "Parcel", "Sender", "parcels"]
