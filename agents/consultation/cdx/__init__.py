"""The archive's captures as other tools ask for them: lists in CDX, and records in WARC.

query     one question, read within limits, in the dialects of three kinds of clients
filters   which lines are wanted
lines     a capture as a line, in each form
bodies    lines as the body of an answer
listing   the lines of a question, as storage nodes give them
xml       the question and answer of OpenWayback
records   a capture as a WARC record
server    the routes
"""
