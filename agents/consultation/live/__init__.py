"""The live web, for readers who ask for it where the operator allows it (docs/decisions/0044).

passing     what goes on of a request, and of an answer's head: pure
keeping     which answers are kept: pure
upload      what a reader sends
recorder    what is kept, on its way to the archive
live        from a request to the answer of the live web
opening     the room as it is configured; `pages`: what there is to see of it
"""
