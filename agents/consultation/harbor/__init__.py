"""The archive's harbor, `http://dlweb/` (*INA §2.4.3*).

answers                     which page answers what
means · view · frame        what pages work with, who looks, and what is around every page
home · search · captures    choosing a date, finding URLs, their captures
calendar · days             captures by day
difference · pictures       two captures compared; `comparing` does it in a worker process
on_screen · timeline        of which dates the parts of a page are
streams · stream · listen    archived radios and televisions; `heard` and `day_picture` of a day
missing · settings          what readers asked for in vain; what they chose
certificate · offer         the authority behind https:// pages, explained
names                       names under `dlweb` that lead to pages
asked · forms               what a request says; the guard of forms that change something
listing                     the archived URLs, merged from all storage nodes
words · english · french    what pages say
parts                       sections, tables and forms as HTML
"""
