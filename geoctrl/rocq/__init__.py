"""Certificates as theorems of Rocq (Coq): `library` is proved once, the rest writes files that rest on it.

A file holds the equations as data, a check of them that Rocq computes, and the verdict as a theorem in plain
real numbers with the mechanism's names. Nothing of this package has to be believed: `coqc` decides.
"""

from geoctrl.rocq.library_files import commands, library_files, write_library
from geoctrl.rocq.theorem_text import difference_of_texts, rocq_text

__all__ = ["commands", "difference_of_texts", "library_files", "rocq_text", "write_library"]
