"""Theorems of Rocq, tried by `coqc`.

python -m tests.rocq check
python -m tests.rocq sweep --folder rocq-sweep --points 5
"""

from tests.rocq.command import main

if __name__ == "__main__":
    raise SystemExit(main())
