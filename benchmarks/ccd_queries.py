"""False negatives, false positives and time of continuous collision detection, beside ipctk, as a Markdown table.

Usage: python benchmarks/ccd_queries.py [--random 500000] [--degenerate 3000] [--peer 1000]
Counts are per kind of pair; times are processor time, the wrapper's checks included. The exact external
queries are included when SIGNORINI_EXTERNAL_DATA is set.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from reference import ccd as naive
from signorini.collision import ccd

TOI = {"point_triangle": ccd.point_triangle, "edge_edge": ccd.edge_edge}
# Near misses move in parallel planes, so that three of the kinds are the same as the general one.
MISSING = [kind for kind in naive.KINDS if kind not in ("coplanar", "at end", "at start")]
Hits = Callable[[naive.Array], np.ndarray]


@dataclass
class Score:
    """What one implementation did on one class of queries."""

    queries: int = 0
    true_hits: int = 0
    missed: int = 0
    needless: int = 0
    seconds: float = 0.0

    def add(self, hits: Hits, x: naive.Array, truth: np.ndarray) -> None:
        """Run the queries and count."""
        start = time.process_time()  # one thread: processor time is fair on a busy machine
        found = hits(x)
        self.seconds += time.process_time() - start
        self.queries += len(truth)
        self.true_hits += int(truth.sum())
        self.missed += int((truth & ~found).sum())
        self.needless += int((found & ~truth).sum())

    def cells(self) -> str:
        """Queries, true hits, false negatives, false positives, microseconds per query."""
        us = 1e6 * self.seconds / max(self.queries, 1)
        return f"{self.queries:,} | {self.true_hits:,} | {self.missed:,} | {self.needless:,} | {us:.2f}"


def our_hits(pair: str) -> Hits:
    """Our test as a function from queries to hits."""
    return lambda x: np.isfinite(TOI[pair](*x))


def peer_hits(name: str, pair: str) -> Hits:
    """The same for a narrow phase of ipctk, which takes one query at a time."""
    import ipctk

    ipctk.set_logger_level(ipctk.LoggerLevel.error)
    # The default of 1e7 iterations takes 0.1 s and more for one touching query; fewer only make it report earlier.
    narrow_phase = ipctk.AdditiveCCD if name == "additive" else ipctk.TightInclusionCCD
    test = getattr(narrow_phase(max_iterations=10_000), f"{pair}_ccd")
    return lambda x: np.array([test(*x[:, i])[0] for i in range(x.shape[1])], dtype=bool)


def batches(group: str, random: int, degenerate: int):
    """Yield (pair, queries, truth) of one group."""
    rng = np.random.default_rng(2024)
    for pair in naive.PAIRS:
        if group == "external":
            folder = "vertex-face" if pair == "point_triangle" else "edge-edge"
            files = Path(os.environ["SIGNORINI_EXTERNAL_DATA"]).glob(f"ccd-queries/*/{folder}/*.csv")
            for file in sorted(files):
                yield (pair, *naive.read_queries(file))
        elif group == "random":
            for size in np.diff([*range(0, random, 50_000), random]):
                x = rng.uniform(-1.0, 1.0, (8, size, 3))
                yield pair, x, np.isfinite(naive.certain_impacts(pair, x))
        else:
            name, kind = group.split(": ")
            make = naive.touching_queries if name == "touching" else naive.missing_queries
            x, _ = make(pair, kind, degenerate, rng)
            yield pair, x, np.full(degenerate, name == "touching")


def row(group: str, random: int, degenerate: int, peer: int) -> str:
    """One line of the table."""
    ours, tight, additive = Score(), Score(), Score()
    for pair, x, truth in batches(group, random, degenerate):
        our_hits(pair)(x[:, :1])  # loads the compiled kernel
        ours.add(our_hits(pair), x, truth)
        part = slice(0, max(peer - additive.queries // 2, 0) if group == "random" else peer)
        if not len(truth[part]):
            continue
        if group in ("external", "random"):  # touching parallel or coplanar pairs take it seconds each
            tight.add(peer_hits("tight inclusion", pair), x[:, part], truth[part])
        additive.add(peer_hits("additive", pair), x[:, part], truth[part])
    peers = [
        f"{s.missed:,} / {s.needless:,} / {1e6 * s.seconds / s.queries:.0f}" if s.queries else "-"
        for s in (tight, additive)
    ]
    return f"| {group} | {ours.cells()} | {additive.queries:,} | {peers[0]} | {peers[1]} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=500_000, help="random queries per kind of pair")
    parser.add_argument("--degenerate", type=int, default=3_000, help="queries per degenerate class and kind of pair")
    parser.add_argument("--peer", type=int, default=1_000, help="queries per class, file and pair given to ipctk")
    arguments = parser.parse_args()
    groups = ["external"] if os.environ.get("SIGNORINI_EXTERNAL_DATA") else []
    groups += ["random", *(f"touching: {k}" for k in naive.KINDS), *(f"missing: {k}" for k in MISSING)]
    print("| class | queries | true hits | false negatives | false positives | µs per query | ipctk: queries ", end="")
    print("| Tight-Inclusion: neg. / pos. / µs | Additive: neg. / pos. / µs |")
    print("|---|---|---|---|---|---|---|---|---|")
    for group in groups:
        print(row(group, arguments.random, arguments.degenerate, arguments.peer), flush=True)


if __name__ == "__main__":
    main()
