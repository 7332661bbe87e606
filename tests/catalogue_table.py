"""The table from which `geoctrl models` lists the catalogue.

    python -m tests.catalogue_table

writes it anew from the descriptions.
"""

import json

import geoctrl as gc
from geoctrl._pages import CATALOGUE
from geoctrl.cli.commands import catalogue_entry


def entries():
    """What the descriptions say, by name."""
    return json.loads(json.dumps({name: catalogue_entry(name) for name in gc.models.names()}))


if __name__ == "__main__":
    CATALOGUE.write_text(json.dumps(entries(), indent=1) + "\n", encoding="utf-8")
