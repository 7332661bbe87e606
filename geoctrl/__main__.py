"""``python -m geoctrl``: the command line."""

from geoctrl.cli import main

raise SystemExit(main())
