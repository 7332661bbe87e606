"""How the tests are shared among processes."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one process")
def test_the_tests_of_a_file_run_in_one_process(request):
    """Else every process builds the systems of all files, in twice the time, and nothing tells of it."""
    assert request.node.nodeid.endswith("@tests/test_processes.py")
