"""The archive itself: one folder an agent, and beside them what agents share.

That is values without I/O, and four rooms: `configuration/`, `page/` (what agents show people),
`parsers/` (what documents link to and say) and `analysis/` (what their texts tell).
"""
