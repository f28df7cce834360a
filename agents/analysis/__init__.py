"""Analysis of texts (*INA §1.4.5*): local signatures, keywords, languages, special keywords.

In worker processes:

    worker     opens stored contents, has their parsers extract the text, and analyses it
    analyse    all there is to tell of one text

    text       what the words of a text are
    signatures hashes of its chunks, which tell similar and updated documents
    keywords   its most telling n-grams of words
    language   the languages it is written in, by judge texts in Bloom filters
    terms      where special keywords occur, all of them in one pass
"""
