"""The return: a proxy that gives browsers the web as it was, at any date (*INA §2.3.2, §2.4*).

    proxy          what browsers ask, answered from the archive
    retrieval      the seven steps from a URL and a date to the bytes
    locators       where files lie: by multicast, by index node, or whichever works
    structures · contents   what storage nodes are asked for
    heads          a stored head as it may be sent on
    faults · fault_contents · missing   what is shown, and noted, where the archive has a hole
    readers        at which date each reader walks
    harbor/        http://dlweb/, where readers choose their date and see what there is

Nothing is ever fetched from the live web.
"""
