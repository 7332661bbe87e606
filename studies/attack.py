"""A standing attack on geoctrl: random systems, mutated certificates, hostile files, misuse.

Every case is made from the seed and its index alone, and judged by an oracle that does not use geoctrl.

    python studies/attack.py all --quick
    python studies/attack.py systems --count 10000 --seed 1 --out attack-results
    python studies/attack.py systems --seed 1 --only 4711
"""

from attack.command import main

if __name__ == "__main__":
    raise SystemExit(main())
