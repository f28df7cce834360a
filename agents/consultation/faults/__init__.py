"""What is shown, and noted, where the archive has a hole (*INA §2.4.2*).

fault      which fault it is, and in which format the browser expects to hear of it
contents   its text in each format
missing    the log of what was asked for in vain
"""
