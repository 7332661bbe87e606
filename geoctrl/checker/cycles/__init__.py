"""Motions that close under laws which are held from sample to sample, and their stability with the clock."""
