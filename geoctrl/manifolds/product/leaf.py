"""The relations that hold on a manifold, named body by body."""

from __future__ import annotations

from collections.abc import Sequence

from geoctrl.manifolds.product.product import Product

__all__ = ["ManifoldLeaf"]


class ManifoldLeaf:
    """Names of the relations of all bodies, one body after the other.

    Parameters
    ----------
    product : Product
    names : sequence of pairs of str
        Of the two parts of each body.
    """

    def __init__(self, product: Product, names: Sequence[tuple[str, str]]) -> None:
        self.names = tuple(
            words.format(first=first, second=second)
            for factor, (first, second) in zip(product.factors, names, strict=True)
            for words in factor.relations
        )

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations as they are written, which is what they go by."""
        return self.names

    def __len__(self) -> int:
        return len(self.names)
