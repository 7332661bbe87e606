"""Claims in words. `texts` writes names, numbers and expressions, `leaf` the leaf with its dimension, and
`claims` all that a certificate of a point claims; those of maps and regions stand with these.
"""

from geoctrl.checker.words.claims import claim
from geoctrl.checker.words.leaf import dimension, relations
from geoctrl.checker.words.texts import decimal, short

__all__ = ["claim", "decimal", "dimension", "relations", "short"]
