"""What is said of files that nothing can be proved by: reports, files of other releases, damaged ones.

Nothing rests on this: whatever passes is read and proved. The digest guards against accidents, not forgers.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.reader import FORMAT, VERSION, label

REPORT = "geoctrl-report"
EARLIER = {
    FORMAT: "geoctrl certify {model} --at FAMILY --out FILE",
    "geoctrl-map": "geoctrl map {model} --at FAMILY --x ... --y ... --certificate FILE",
    "geoctrl-sublevel": "gc.region_of_attraction(...).to_json(FILE)",
    "geoctrl-attraction": "gc.region_of_attraction(...).to_json(FILE)",
    "geoctrl-slopes": "gc.region_of_attraction(...).to_json(FILE)",
}
"""What makes files anew that have the formats of earlier releases."""


def digest_of(data: dict[str, Any]) -> str:
    """SHA-256 of the content without its digest, in canonical form: it tells a file that was damaged."""
    body = {k: v for k, v in data.items() if k != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def require_certificate(data: dict[str, Any]) -> None:
    """Refuse in words what is a report, of another release, or was changed after it was written."""
    form, version = str(data.get("format")), data.get("version")
    if form == REPORT:
        told = (label(data.get("verdict")) or "it")[:60]
        raise Refusal(f"{told} is a report and no proof: there is nothing to confirm")
    if form in EARLIER and type(version) is int and version < VERSION:
        name = data.get("system")
        plain = isinstance(name, str) and re.fullmatch(r"\w[\w-]{0,80}", name, re.ASCII)
        anew = EARLIER[form].format(model=name if plain else "MODEL")
        raise Refusal(f"it was written in an earlier format ({version}); make it anew: {anew}", "version")
    require(
        data.get("digest") == digest_of(data),
        "it was changed after it was written: its digest does not fit its content",
    )
