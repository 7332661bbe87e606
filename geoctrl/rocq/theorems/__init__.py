"""The theorems of the library in Rocq, each with the data that it asks for and its text in plain reals."""
