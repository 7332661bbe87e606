"""Certificates of points and of sampled loops: written, compared with a system, exported."""
