"""How objects show themselves: as lines of text on one page, and as markup in notebooks."""
