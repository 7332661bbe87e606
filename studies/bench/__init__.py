"""One benchmark: each row a task, done by geoctrl, by a program written by hand for it, and by its peers.

    python -m studies.bench --out results/bench [--only ROW] [--peers] [--repeat 5]

Written are ``bench.md`` (a table a row), ``bench.png`` and ``bench.json``. Counted are processor seconds of
this process, or of a fresh one where that is the row; programs run in turn, and the least of the repetitions
counts: on a shared machine ratios within one run alone mean anything, and its load is said with each row.
Motions are compared with 80-bit arithmetic (heyoka at 1e-18). What has another error is not compared: a
peer's cost at our error lies between two of its tolerances; where none of them comes near, a bound is told,
or nothing. ``--peers`` needs the extra ``bench``; a peer that is not installed is said to be none.

    python -m studies.bench --pages results/bench

puts the tables of that run into README and the page of the documentation, between their marks.
"""
