"""The standing attack; `python -m tests.attack` is its command, docs/attack.md says what it does.

geoctrl is called by its public names, but where a question has none: fields that are no mechanism's, theorems
asked one by one, the multipliers that a forger wants, regions that are no system's. The oracle does not call
it at all. Nothing here needs pytest, which collects none of it.
"""
