"""Sets from which each motion tends to some member of a family of points of rest. Read in this order:
`across_family` (rates and slopes beside the members, and the function that falls), `file`.
"""
