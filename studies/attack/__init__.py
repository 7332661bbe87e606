"""Parts of the standing attack; `studies/attack.py` is its command, docs/attack.md says what it does.

Nothing here calls geoctrl except through its public names, and the oracle does not call it at all.
"""
