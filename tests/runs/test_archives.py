"""Archives of results are looked at before anything in them is unpacked."""

import io
import zipfile

import numpy as np
import pytest

import geoctrl as gc


@pytest.mark.parametrize("load", [gc.load_trajectory, gc.load_ensemble, gc.load_sweep])
def test_arrays_that_say_to_be_larger_than_they_are(load, tmp_path):
    """A trillion numbers, of which there are none: no memory is asked for."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    path = tmp_path / "large.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", text.getvalue())
    with pytest.raises(gc.InputError, match=r"large\.npz is (not an?|no) "):
        load(path)
    with pytest.raises(gc.InputError, match="is no file"):
        load(tmp_path)
