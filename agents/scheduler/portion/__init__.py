"""The portion of the web at work: what expansion and temporal policy decide is done (*INA §1.5*).

crawl_plan · sequels · opening        what follows for a site from each crawl: pure
territory                             the index of delimitations, in a thread
expanding · ranking                   sites that links lead to, and which are let in
keeping_in_step                       when sites fall due, at what price; campaigns
feeding                               feeds that members have
missing                               links that led readers of the archive nowhere
by_hand                               what archivists decide over HIP
"""
