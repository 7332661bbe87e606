"""The walks that docs/house.md tells: no longer than it says."""

import re

import pytest

from tests import house, walks


def numbers(name):
    """Stops and returns of a walk on the page."""
    text = house.HOUSE.read_text(encoding="utf-8")
    found = re.search(rf"<!-- {re.escape(name)} -->(\d+) stops, (\d+) returns?", text)
    return tuple(map(int, found.groups()))


@pytest.mark.parametrize("name", walks.WALKS)
def test_walks_are_no_longer_than_the_page_says(name):
    found = walks.stops(walks.WALKS[name])
    told = "\n".join(" ".join(stop) for stop in found)
    most = numbers(name)
    assert len(found) <= most[0], f"{len(found)} stops, the page says {most[0]}:\n{told}"
    assert len(walks.returns(found)) <= most[1], f"the page says {most[1]} returns:\n{told}"
