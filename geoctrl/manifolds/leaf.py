"""The relations that hold on a manifold, named body by body."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["ManifoldLeaf"]


class ManifoldLeaf:
    """Names of the relations of n bodies, one body after the other.

    Parameters
    ----------
    relations : sequence of str
        Of one body, with ``{first}`` and ``{second}`` for its parts.
    pair : names of the parts
    n : int
    """

    def __init__(self, relations: Sequence[str], pair: tuple[str, str], n: int) -> None:
        bodies = [""] if n == 1 else [str(i + 1) for i in range(n)]
        self.names = tuple(r.format(first=pair[0] + i, second=pair[1] + i) for i in bodies for r in relations)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations as they are written, which is what they go by."""
        return self.names

    def __len__(self) -> int:
        return len(self.names)
