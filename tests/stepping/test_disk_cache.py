"""Kernels on disk: loaded by later processes, never from where others may write, never a wrong one."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import pytest
from numba import float64

from geoctrl.stepping.compiled import compiled, disk_cache

SIGNATURE = float64(float64)
ROOT = Path(compiled.__file__).parents[3]


def plus(number):
    return f"def f(x):\n    return x + {number}\n"


def kernel(source):
    """Compiled or read anew, as by another process."""
    return compiled.compile_source.__wrapped__(source, "f", SIGNATURE)


def was_read(made):
    return sum(made.stats.cache_hits.values()) == 1


@pytest.fixture(params=["numba's", "the user's"])
def folder(request, monkeypatch, tmp_path):
    """An empty cache, where NUMBA_CACHE_DIR or where the platform's convention puts it."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path) if request.param == "numba's" else "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return disk_cache._user_cache() / "geoctrl"


def machine_code(folder):
    return [path for path in folder.parent.rglob("*.nb?") if path.is_file()]


def test_what_was_compiled_is_read(folder):
    assert not was_read(kernel(plus(1)))
    again = kernel(plus(1))
    assert was_read(again)
    assert again(1.5) == 2.5
    assert compiled.is_compiled(again)
    assert len(list(folder.glob("*.py"))) == 1
    assert len(machine_code(folder)) == 2  # an index and the code


def test_kernels_differ_by_source_options_and_surroundings(folder, monkeypatch):
    places = [disk_cache.place(plus(1), *options) for options in ([], ["f"], ["f", "fast"], ["ffast"])]
    places.append(disk_cache.place(plus(2)))
    with monkeypatch.context() as changed:
        changed.setattr(numba, "__version__", "another")
        disk_cache._surroundings.cache_clear()
        places.append(disk_cache.place(plus(1)))
    disk_cache._surroundings.cache_clear()
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("room", ["compiled", "drive", "methods", "solvers"])
def test_kernels_differ_by_the_sources_of_every_room(room, folder, monkeypatch):
    """What a kernel calls may stand in another room than what compiles it."""
    before, read = disk_cache.place(plus(1)), Path.read_text

    def edited(path, *args, **options):
        return read(path, *args, **options) + ("# edited" if path.parent.name == room else "")

    with monkeypatch.context() as changed:
        changed.setattr(Path, "read_text", edited)
        disk_cache._surroundings.cache_clear()
        after = disk_cache.place(plus(1))
    disk_cache._surroundings.cache_clear()
    assert None not in (before, after)
    assert after != before


@pytest.mark.parametrize("damage", [b"", b"not a pickle", None])
def test_damaged_files_are_made_again(folder, damage):
    kernel(plus(1))
    for path in machine_code(folder):
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
        made = kernel(plus(1))
        assert not was_read(made)
        assert made(1.5) == 2.5
        kernel(plus(1))
        assert was_read(kernel(plus(1)))


posix = pytest.mark.skipif(sys.platform == "win32", reason="there the place of a folder protects it")


@posix
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_nothing_is_read_where_others_may_write(folder, mode):
    kernel(plus(1))
    folder.chmod(mode)
    made = kernel(plus(1))
    assert not was_read(made)
    assert made(1.5) == 2.5
    assert disk_cache.place(plus(2)) is None
    folder.chmod(0o700)
    assert was_read(kernel(plus(1)))


@posix
@pytest.mark.parametrize("where", ["__pycache__", ".."])
def test_nothing_is_read_where_others_may_write_within_or_above(folder, where):
    kernel(plus(1))
    (folder / where).chmod(0o770)
    made = kernel(plus(1))
    assert not was_read(made)
    assert disk_cache.place(plus(2)) is None
    (folder / where).chmod(0o700)
    assert disk_cache.place(plus(2)) is not None


@posix
def test_nothing_is_read_where_others_may_write_what_numba_keeps_beside(folder):
    kernel(plus(1))
    if beside := disk_cache._by_numba():
        beside[0].chmod(0o777)
        assert disk_cache.place(plus(1)) is None
    else:  # numba keeps it within: the folder above it is closed
        assert folder.stat().st_mode & 0o777 == 0o700


@posix
def test_the_folder_of_another_user_or_a_link_to_it_is_left_alone(folder, monkeypatch, tmp_path):
    kernel(plus(1))
    other = os.geteuid() + 1
    with monkeypatch.context() as changed:
        changed.setattr(os, "geteuid", lambda: other)
        assert disk_cache.place(plus(1)) is None
    assert disk_cache.place(plus(1)) is not None
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    assert disk_cache.place(plus(1)) is None


def test_without_a_folder_kernels_are_compiled(folder):
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file is in the way")
    assert disk_cache.place(plus(1)) is None
    assert kernel(plus(1))(1.5) == 2.5


def test_the_kernels_unused_for_longest_are_dropped(folder, monkeypatch):
    monkeypatch.setattr(disk_cache, "LIMIT", 4)
    places = [disk_cache.place(plus(i)) for i in range(4)]
    for age, path in enumerate(reversed(places)):
        os.utime(path, (1e9 - age, 1e9 - age))
    disk_cache.place(plus(0))  # it was the oldest, and is used now
    disk_cache.place(plus(9))
    assert [path.exists() for path in places] == [True, False, False, True]


def test_a_source_that_does_not_compile_says_so(folder):
    with pytest.raises(numba.core.errors.TypingError, match="missing"):
        kernel("def f(x):\n    return missing(x)\n")


def test_processes_that_write_together_are_read_by_a_third(folder):
    """Both compile a kernel of the same name as their first, and one that is the other's too."""
    program = (
        "import sys; from numba import float64\n"
        "from geoctrl.stepping.compiled.compiled import compile_source\n"
        "for source in sys.argv[1:]: compile_source(source, 'f', float64(float64))\n"
    )
    given = dict(os.environ, NUMBA_CACHE_DIR=numba.config.CACHE_DIR)
    if not numba.config.CACHE_DIR:
        del given["NUMBA_CACHE_DIR"]
    disk_cache._surroundings.cache_clear()
    writers = [
        subprocess.Popen([sys.executable, "-c", program, plus(i), plus(3)], cwd=ROOT, env=given)
        for i in (1, 2)
    ]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    made = [kernel(plus(i)) for i in (1, 2, 3)]
    assert all(was_read(k) for k in made)
    assert [k(0.5) for k in made] == [1.5, 2.5, 3.5]
