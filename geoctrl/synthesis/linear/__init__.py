"""Linear laws and estimators."""
