"""From a URL and a date to the bytes the web gave (*INA §2.3.2*).

retrieval    the seven steps
locators     where files lie: by multicast, by index node, or whichever works
remembered   the same, for some seconds
silent       storage nodes that hang
index        the index node, over HIP
structures   captures, from storage nodes
contents     contents, from storage nodes
fuzzy        URLs that mean the same document
url_rules    the table of what does not say which document is meant
"""
