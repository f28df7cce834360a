"""Gives captures of the archive away in the field's formats (`dlweb export`).

    store --> selection, in a file of SQLite --> records, made in threads --> files, in order

    order       what is wanted, and which captures that takes: pure
    items       what is given, one by one, and its rows
    selection   what was chosen, sorted, and which files are whole: on the disk
    reading     captures and contents of a store, many at once
    made        what captures are made into, and the interface of a format
    warc_form   captures as records of WARC; page_form: as pages of ARC and Tianwang files
    kept        records of imported files, given again
    pages       which captures people go to, and their titles
    forms       the form that an order asks for
    writing     files with serial names, an index beside each
    batching    the monthly batches of a crawl, in place of files with serial names
    packing     WARC files in a WACZ
    figures     how an export is getting on
    exporting   the whole

An export can be killed at any moment and repeated. What it gives depends on the selection alone:
a file that was not whole is written again, byte for byte the same.
"""
