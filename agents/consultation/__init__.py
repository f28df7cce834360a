"""The return: a proxy that gives browsers the web as it was, at any date (*INA §2.3.2, §2.4*).

proxy/     what browsers ask, answered from the archive
lookup/    from a URL and a date to the bytes the web gave
readers/   who reads, at which date, and what is on their screens
access/    who may read what
faults/    what is shown, and noted, where the archive has a hole
live/      the live web, for readers who ask for it where the operator allows it
harbor/    http://dlweb/, where readers choose their date and see what there is
"""
