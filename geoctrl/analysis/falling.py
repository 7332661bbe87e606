from collections.abc import Iterator
def falling_functions(stored, conserved, functions):
    return iter(())
