"""Who may read, what may be read, and the record of both.

doors   who a request comes from, and whether they are let in
rules   embargoes and takedowns
audit   the log of what was asked and answered
"""
