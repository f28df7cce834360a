"""What is shown, and noted, where the archive has a hole (*INA §2.4.2*).

fault                            why the archive cannot give what was asked
kinds · contents                 in which format it is shown; words: what it says
texts · pictures · documents     the formats
motion · typeface                those that are played, and fonts
missing · missing_log            what was asked for in vain, in memory and on the disk
reporting · opening              the scheduler is told
"""
