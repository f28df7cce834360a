"""Dates negotiated by HTTP: the Memento protocol (RFC 7089).

fields    what an answer says when it is a memento, and where things are
timemaps  lists of the mementos of a URL, in the forms of the field
answers   TimeGate and TimeMaps, for the harbor and the pages port
"""
