"""Commands that explain: an error by its key, words for a shell to complete, a program to begin with."""
