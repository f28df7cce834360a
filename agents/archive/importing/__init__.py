"""Brings files of web archives into a store: every record kept, captures made of those that are.

    file --(worker process)--> slice: captures, contents, kept records --> store --> state

    finding     the files that paths name, and the part that each belongs to
    digests     what records declare of their bytes, as values that can be compared
    members     a record as the others need it, and which records are of one exchange
    captures    the captures of an exchange: pure
    spool       where contents wait between a worker and the store
    sums        the digests of contents, beside those declared
    blocks      blocks of records into the spool, and beside their records
    slices      what a worker does: reads some records, and maps them
    state       what was imported, under which digests contents are known, which revisits wait
    reading     slices of a file one after another, past whatever ends a worker
    loading     a slice into the store
    revisits    those whose content was not known when they came
    figures     how an import is getting on
    importing   the whole: parts side by side, files one after another

Everything may be repeated: contents are named by their bytes, captures by URL, date and content,
and the state is noted only once both are durable.
"""
