"""Mining the archive (*INA §2.4.4*): a documented HTTP/JSON interface for programs.

api         what each address answers; `openapi.yaml` describes it
asking      the parameters of a question, and how errors are told
extraction  links, text and signatures of one document, found in a worker process
extracting  having that done, with a cache
graph       who links to whom, and what resembles what, in one file; `records` are its values
walking     follows the archive and keeps the graph up to date
"""
