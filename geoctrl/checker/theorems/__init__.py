"""Theorems beyond spectrum and energy-Casimir; each can be read by itself, after `verdicts`."""
