"""The archive's harbor, `http://dlweb/` (*INA §2.4.3*).

answers   what each page answers
asked     what a request says of who asks
forms     the guard of the one form that changes something
listing   the archived URLs, merged from all storage nodes
pages · parts   HTML
"""

from agents.consultation.harbor.answers import Harbor
from agents.consultation.harbor.forms import Forms
from agents.consultation.harbor.listing import Listings

__all__ = ["Forms", "Harbor", "Listings"]
