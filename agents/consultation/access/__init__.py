"""Who may read, what may be read, and the record of both.

doors        who a request comes from, and whether they are let in
opening      what may not be opened to other machines by mistake
keys         who has which credential
credentials  the file of credentials
guesses      how often a password may be tried
rules        embargoes and takedowns
rule         one of them
places       which rules hold for a URL
rules_file   the file that people write them in
audit        the log of what was asked and answered
audit_file   its file
"""
