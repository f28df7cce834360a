"""What browsers send to the web, answered from the archive (*INA §2.4.2*).

proxy   from a request to its answer
heads   a stored head as it may be sent on
"""
