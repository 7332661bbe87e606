"""A standing attack on geoctrl: random systems, changed certificates, hostile files, misuse.

Every case is made from the seed and its index alone, and judged by an oracle that does not use geoctrl.

    python -m tests.attack all --quick
    python -m tests.attack systems --count 10000 --seed 1 --out attack-results
    python -m tests.attack systems --seed 1 --only 4711
"""

from tests.attack.command import main

if __name__ == "__main__":
    raise SystemExit(main())
