"""Mechanisms and equations as a person reads them."""
