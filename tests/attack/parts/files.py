"""Hostile files: none may run anything, take long or much memory, or end in anything but a worded refusal."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc
from geoctrl import checker
from tests.attack.forge.files_over_sets import over_sets
from tests.attack.forge.genuine import Genuine, kept_genuine
from tests.attack.forge.mutations import at, put
from tests.attack.forge.mutations import places as paths_of
from tests.attack.outcome import Outcome, raw, refusal
from tests.attack.parts.certificates import text_of
from tests.attack.parts.commanding import command

CODE = "__import__('pathlib').Path('CANARY').touch()"
NAMES = {
    "call in the name of a function": f"abs(0)+({CODE} or 0)+f_abs",
    "statement in the name of a function": f"abs(0)\n{CODE}\nf_abs",
    "name of a builtin": "eval",
    "dunder name": "__import__",
    "format specifier": "{0.__class__.__init__.__globals__}",
    "percent specifier": "%(x)s%n",
    "empty name": "",
    "bidirectional text": "\u202esba",
    "full-width letters": "\uff41\uff42\uff53",
    "null byte": "abs\u0000",
    "lambda": f"(lambda *a: {CODE})",
    "semicolon": f"abs;{CODE};",
}
NUMBERS = {
    "division by zero": "1/0",
    "exponent of six digits": "1e999999",
    "negative exponent of nine digits": "1e-999999999",
    "ten million digits": "1" * 10_000_000,
    "infinity": "inf",
    "not a number": "nan",
    "underscores": "1_0",
    "code": CODE,
    "arabic digits": "\u0661",
    "list": [1],
    "object": {"a": 1},
    "null": None,
    "true": True,
}
Writer = Callable[[Path], None]


def forged(**changes: Any) -> dict[str, Any]:
    """The file of x' = -x + sin u at 0, held by an input; then changes, by the keys of its parts."""
    nodes = [["num", "-1"], ["sym", "x", "state"], ["sym", "u", "input"], ["fun", "sin", [2]],
             ["num", "1"], ["sum", [[0, 1], [4, 3]]]]  # fmt: skip
    problem = {"nodes": nodes, "states": {"x": "0"}, "inputs": {"u": "0"}, "field": [5]}
    problem |= {part: {} for part in ("parameters", "leaf", "invariants", "weights")}
    problem |= {part: [] for part in ("unknowns", "matrix", "right")}
    data = {
        "format": checker.FORMAT, "version": checker.VERSION, "software": "", "system": "body",
        "problem": problem, "witness": {"roots": [], "inverse": [], "cofactors": {}},
        "theorem": {"name": "attraction", "rows": [], "free": ["x"], "inverse": [], "P": [["1"]]},
        "digest": "",
    }  # fmt: skip
    for key, value in changes.items():
        part = next((part for part in ("problem", "witness", "theorem") if key in data[part]), None)
        (data[part] if part else data)[key] = value
    return data


def sealed(data: dict[str, Any]) -> Writer:
    return lambda path: path.write_text(text_of(data), encoding="utf-8", errors="surrogatepass")


def text(content: str | bytes) -> Writer:
    return lambda path: path.write_bytes(content if isinstance(content, bytes) else content.encode())


def changed_node(index: int, *node: Any) -> dict[str, Any]:
    data = forged()
    data["problem"]["nodes"][index] = list(node)
    return data


def own(nodes: list, states: list[str], field: list[int], **parts: Any) -> Writer:
    """A file about equations of its own, all states at 0, without an input, which claims attraction."""
    zeros = dict.fromkeys(states, "0")
    form = [["0"] * i + ["1"] for i in range(len(states))] if len(states) < 1000 else []
    told = {"free": states, "P": form} | parts
    return sealed(forged(nodes=nodes, states=zeros, inputs={}, field=field, **told))


def certificates() -> dict[str, Writer]:
    """Files for `verify`."""
    return _texts_within() | _endless() | _malformed()


def _texts_within() -> dict[str, Writer]:
    """Names, labels and numbers that are none."""
    found: dict[str, Writer] = {}
    for name, text_ in NAMES.items():
        found[f"function: {name}"] = sealed(changed_node(3, "fun", text_, [2]))
        found[f"label: {name}"] = sealed(forged(states={text_: "0"}))
        found[f"role: {name}"] = sealed(changed_node(1, "sym", "x", text_))
        found[f"relation: {name}"] = sealed(forged(leaf={text_: 1}))
        found[f"verdict: {name}"] = sealed(forged(verdict=text_))
        found[f"theorem: {name}"] = sealed(forged(name=text_))
        data = forged(states={text_: "0"}, free=[text_])
        data["problem"]["nodes"][1][1] = text_
        found[f"symbol: {name}"] = sealed(data)
        found[f"system: {name}"] = sealed(forged(system=text_))
    for name, number in NUMBERS.items():
        found[f"number: {name}"] = sealed(changed_node(4, "num", number))
        found[f"value: {name}"] = sealed(forged(states={"x": number}))
        found[f"form: {name}"] = sealed(forged(P=[[number]]))
        found[f"radicand: {name}"] = sealed(forged(roots=[number]))
        found[f"spin: {name}"] = sealed(forged(spin=[number, 0, 0]))
    return found


def _endless() -> dict[str, Writer]:
    """What would take for ever, or all of the memory."""
    found: dict[str, Writer] = {}
    x = ["sym", "x", "state"]
    found["exponent 10^9"] = sealed(changed_node(3, "prod", "1", [[2, 10**9]]))
    found["exponent of a number"] = sealed(changed_node(3, "prod", "3", [[0, 10**9]]))
    tower = [["num", "2"], x] + [["prod", "1", [[i and i + 1, 10]]] for i in range(200)]
    found["tower of powers"] = own(tower, ["x"], [201])
    found["doubling sums"] = own([x] + [["sum", [[i, i], [i, i]]] for i in range(400)], ["x"], [400])
    found["a million nodes"] = own([x] + [["num", str(i)] for i in range(1_000_000)], ["x"], [1])
    many = [f"x{i}" for i in range(10_000)]
    found["ten thousand states"] = own([["sym", k, "state"] for k in many], many, list(range(10_000)))
    found["numbers of a hundred digits"] = _dense(20, 100)
    found["numbers of eight digits"] = _dense(60, 8)
    found["powers of a sum, by division"] = _division()
    return found


def _dense(n: int, digits: int) -> Writer:
    """A linear field without a zero, of rationals that have no common denominator."""
    rng = np.random.default_rng(1)

    def number() -> str:
        return "/".join("".join(map(str, rng.integers(1, 10, size=digits))) for _ in range(2))

    labels = [f"x{i}" for i in range(n)]
    nodes = [["sym", k, "state"] for k in labels] + [["num", number()] for _ in range(n * n)]
    nodes += [["sum", [[n + n * i + j, j] for j in range(n)]] for i in range(n)]
    return own(nodes, labels, list(range(n + n * n, 2 * n + n * n)))


def _division() -> Writer:
    """y' = x1^60 on x1 = x2 + ... + x10: the remainder is a power of a sum, of ten thousand million terms."""
    labels = [*(f"x{i}" for i in range(1, 11)), "y"]
    nodes = [["sym", k, "state"] for k in labels]
    nodes += [["num", "1"], ["num", "-1"], ["num", "0"], ["prod", "1", [[0, 60]]]]
    nodes += [["sum", [[11, 0], *([12, i] for i in range(1, 10))]]]
    data = {"leaf": {"sum": 15}, "invariants": {"y": 10}, "rows": ["sum", "y"], "free": labels[1:9]}
    data["cofactors"] = {"y": [["sum", 14]]}
    return own(nodes, labels, [13] * 10 + [14], **data, inverse=[["1", "0"], ["0", "1"]])


def _malformed() -> dict[str, Writer]:
    """References into nowhere, and texts that are no JSON or not what it should be."""
    found: dict[str, Writer] = {}
    found["forward reference"] = sealed(changed_node(3, "fun", "sin", [5]))
    found["reference to itself"] = sealed(changed_node(5, "sum", [[5, 5]]))
    found["negative reference"] = sealed(changed_node(5, "sum", [[-1, 0]]))
    found["unknown kind"] = sealed(changed_node(3, "exec", CODE))
    found["earlier format"] = sealed(forged(version=1))
    found["format of a release"] = sealed(forged(version=2))
    found["later format"] = sealed(forged(version=4))
    found["spin of two numbers"] = sealed(forged(spin=[0, 0]))
    found["spin that is endless"] = sealed(forged(spin=[1e308, 0, 0]))
    found["five roots"] = sealed(forged(roots=["2", "3", "5", "7", "11"]))
    found["root of a later one"] = sealed(forged(roots=["1*r1"]))
    found["negative radicand"] = sealed(forged(roots=["-2"]))
    found["deep brackets"] = text("[" * 100_000 + "]" * 100_000)
    found["deep objects"] = text('{"a":' * 100_000 + "1" + "}" * 100_000)
    found["unclosed brackets"] = text("[" * 1_000_000)
    found["bare huge integer"] = text("1" * 10_000_000)
    found["long integer within"] = text('{"format": ' + "1" * 100_000 + "}")
    found["NaN literal"] = text('{"format": "geoctrl-certificate", "version": NaN}')
    found["Infinity literal"] = text('{"format": "geoctrl-certificate", "version": 1, "digest": -Infinity}')
    plain = text_of(forged())
    found["duplicate keys"] = text(plain[:-1] + ', "system": "another"}')
    found["byte order mark"] = text(b"\xef\xbb\xbf" + plain.encode())
    found["UTF-16"] = text(plain.encode("utf-16"))
    found["lone surrogate"] = text('{"format": "\\ud800"}')
    found["binary garbage"] = text(bytes(range(256)) * 1000)
    found["empty"] = text(b"")
    found["a list"] = text("[]")
    found["a number"] = text("7")
    found["null"] = text("null")
    found["pickle"] = text(pickle.dumps(Bomb()))
    found["trailing data"] = text(plain + plain)
    return found


class Bomb:
    """Runs something where it is unpickled."""

    def __reduce__(self):
        return eval, (CODE,)


HOSTILE: tuple[Any, ...] = (
    *(NAMES[k] for k in ("call in the name of a function", "dunder name", "format specifier", "null byte")),
    "9" * 2_000, "1/" + "9" * 2_000, "1/0", "1e999999", "nan", "1*r1", "1*r5", -1, 0, 3, 2**64, 0.5, None,
    True, "", [], {}, [[]], {"": 0}, [0] * 20_001, "x" * 100_000, "sin", "x",
)  # fmt: skip
"""What stands in places where something else belongs."""


def everywhere(bases: list[Genuine]) -> dict[str, tuple[dict[str, Any], tuple]]:
    """Genuine files with the places at which something hostile is put: equations, witness and heading of one,
    the theorem of one of each. Of the entries of a list or a table one stands for all.
    """
    found, known = {}, set()
    of_theorems = {base.content["theorem"]["name"]: base.content for base in reversed(bases)}
    for name, content in of_theorems.items():
        with_all = content | {"roots": content.get("roots", []), "spin": ["0", "0", "1"]}
        names = {
            *content["problem"]["states"],
            *content["problem"]["leaf"],
            *content["problem"]["invariants"],
        }
        for path in paths_of(with_all):
            whose = name if path[0] == "theorem" else ""
            kind = (whose, *("#" if isinstance(k, int) or k in names else k for k in path))
            if kind not in known and path[0] not in ("format", "version", "digest"):
                found[f"{name}: {'.'.join(map(str, path))[:80]}"] = with_all, path
            known.add(kind)
    return found


def hostile_files(content: dict[str, Any], path: tuple) -> Iterator[dict[str, Any]]:
    """The file with each hostile value in one place, and under each hostile key."""
    for value in HOSTILE:
        changed = copy.deepcopy(content)
        put(changed, path, value)
        yield changed
    for name in HOSTILE[:4] if isinstance(path[-1], str) else ():
        changed = copy.deepcopy(content)
        holder = at(changed, path[:-1])
        holder[name] = holder.pop(path[-1])
        yield changed


def trajectories() -> dict[str, Writer]:
    """Files for `load_trajectory`."""

    def bomb(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("header", "time", "states", "params"):
                head = io.BytesIO()
                np.lib.format.write_array_header_1_0(
                    head, {"descr": "<f8", "fortran_order": False, "shape": (250_000_000,)}
                )
                with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                    entry.write(head.getvalue())
                    for _ in range(250):
                        entry.write(bytes(1_000_000))

    def lying(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as archive:
            head = io.BytesIO()
            np.lib.format.write_array_header_1_0(
                head, {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
            )
            for name in ("header", "time", "states"):
                archive.writestr(f"{name}.npy", head.getvalue())

    def genuine(**changes: Any) -> Writer:
        def write(path: Path) -> None:
            system = gc.models.get("free-rigid-body")().reduce()
            gc.simulate(system, np.linspace(0, 1, 5), [0.1, 0.2, 3.0], engine="scipy").save(path)
            with np.load(path, allow_pickle=False) as archive:
                arrays = dict(archive)
            for key in list(arrays):
                if key in changes or "every" in changes:
                    arrays[key] = changes.get(key, changes.get("every"))
            np.savez(path, **arrays)

        return write

    return {
        "pickled arrays": lambda path: np.savez(path, **dict.fromkeys(("header", "time", "states"),
        np.array([Bomb()], dtype=object))),
        "every entry pickled": genuine(every=np.array([Bomb()], dtype=object)),
        "every entry a number": genuine(every=np.array(1.0)),
        "every entry text": genuine(every=np.array(CODE)),
        "every entry empty": genuine(every=np.zeros((0, 0))),
        "every entry deep JSON": genuine(every=np.array("[" * 100_000)),
        "every entry not a number": genuine(every=np.full((3, 5), np.nan)),
        "zip bomb": bomb,
        "header that lies": lying,
        "no archive": text(b"PK\x03\x04" + bytes(1000)),
        "bare pickle": text(pickle.dumps(Bomb())),
        "text": text("hello"),
        "empty": text(b""),
        "array of its own": lambda path: np.save(path.open("wb"), np.zeros(3)),
        "path that climbs": lambda path: zipfile.ZipFile(path, "w").writestr("../CANARY", b"x"),
    }  # fmt: skip


def places() -> dict[str, Callable[[Path], Any]]:
    """What is no file."""
    return {
        "missing": lambda path: None,
        "directory": lambda path: path.mkdir(),
        "endless link": lambda path: path.symlink_to(path),
        "unreadable name": lambda path: path.with_name("x" * 200).symlink_to("y" * 200),
        "pipe without a writer": lambda path: os.mkfifo(path),
    }


READERS: dict[str, Callable[[Path], Any]] = {
    "verify": gc.verify,
    "command line": lambda path: command("verify", str(path)),
    "load_trajectory": gc.load_trajectory,
}


STRIDE = 13


def cases(bases: list[Genuine]) -> list[tuple[str, str, Any]]:
    """Reader, name and writer of every file. A quick run takes the first few: each file by its reader, and of
    places in genuine files one in a stride, so that all theorems are among them.
    """
    no_files = places()
    read = certificates() | no_files
    verified, commanded, loaded = (
        [(reader, name, writer) for name, writer in given.items()]
        for reader, given in (
            ("verify", read),
            ("command line", read),
            ("load_trajectory", trajectories() | no_files),
        )
    )
    hostile = [("every place", name, place) for name, place in everywhere(bases).items()]
    strides = [hostile[first::STRIDE] for first in range(STRIDE)]
    return [*verified, *loaded, *strides[0], *commanded, *(case for stride in strides[1:] for case in stride)]


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed
    global CASES
    CASES = cases([*kept_genuine(1, options), *over_sets()])
    return len(CASES)


CASES: list[tuple[str, str, Any]] = []


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del seed, options
    reader, name, writer = CASES[index]
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            outcome = (in_every_place if reader == "every place" else judge)(
                reader, name, writer, Path(folder)
            )
        finally:
            os.chdir(home)
    outcome.note = f"{name}: {outcome.note}"
    return outcome


def judge(reader: str, name: str, writer: Callable[[Path], Any], folder: Path) -> Outcome:
    path = folder / ("file.npz" if reader == "load_trajectory" else "file.json")
    writer(path)
    before = sorted(os.listdir(folder))
    begun = time.process_time()
    try:
        READERS[reader](path)
        outcome = Outcome(reader, "held" if harmless(name, path) else "accepted", "read")
    except RecursionError as error:
        outcome = raw(reader, error)
    except Exception as error:
        outcome = refusal(reader, error, (OSError,))
    outcome.seconds = time.process_time() - begun
    if sorted(os.listdir(folder)) != before:
        outcome = Outcome(reader, "contradiction", "the file ran code", outcome.seconds)
    return outcome


def in_every_place(reader: str, name: str, given: tuple[dict[str, Any], tuple], folder: Path) -> Outcome:
    """The worst that becomes of a file with something hostile in one place."""
    content, place = given
    proved, path, worst = (
        checker.prove(content).verdict,
        folder / "file.json",
        Outcome(reader, "refused", name),
    )
    for data in hostile_files(content, place):
        sealed(data)(path)
        begun = time.process_time()
        try:
            said = gc.verify(path).verdict.value
            outcome = Outcome(reader, "held" if said == proved else "accepted", f"{name}: {said}")
        except RecursionError as error:
            outcome = raw(reader, error)
        except Exception as error:
            outcome = refusal(reader, error, (OSError,))
        outcome.seconds = time.process_time() - begun
        if [*os.listdir(folder)] != [path.name]:
            return Outcome(reader, "contradiction", f"{name}: the file ran code")
        worst.seconds = max(worst.seconds, outcome.seconds)
        if outcome.fault:
            worst.result, worst.note = outcome.result, f"{name}: {outcome.note}"
    return worst


def harmless(name: str, path: Path) -> bool:
    """Whether what was read is after all a proper certificate: odd labels are nothing but names."""
    if not name.startswith(("symbol", "system", "byte order")) or not path.is_file():
        return False
    json.loads(path.read_text(encoding="utf-8-sig", errors="surrogatepass"))
    return gc.verify(path).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
