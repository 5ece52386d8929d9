"""What all benchmarks share: CPU seconds of a fit with its child processes, medians, and the table of a run."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import resource
import statistics
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

for name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):  # before numpy reads them
    os.environ[f"{name}_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")

Fit = Callable[[], Any]
RAW = argparse.RawDescriptionHelpFormatter


def cpu() -> float:
    """CPU seconds of this process and of the processes that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def measured(fit: Fit, repeats: int) -> tuple[float, Any]:
    """The median of CPU seconds after a first call, which compiles, and what the last call returned."""
    out = fit()
    seconds = []
    for _ in range(repeats):
        start = cpu()
        out = fit()
        seconds.append(cpu() - start)
    return statistics.median(seconds), out


@dataclass(frozen=True)
class Row:
    """A problem, its solvers by name with gcg first, and what their answers are worth: smaller is better unless told."""

    problem: str
    solvers: Mapping[str, Fit]
    worth: Callable[[Any], float]
    measure: str = "objective over best - 1"
    relative: bool = True
    larger: bool = False


def arguments() -> argparse.ArgumentParser:
    """The flags that all benchmarks have."""
    options = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, formatter_class=RAW)
    options.add_argument("--only", default="", help="rows whose problem contains this")
    options.add_argument("--repeats", type=int, default=5)
    return options


def run(rows: list[Row], rivals: list[str], said: argparse.Namespace | None = None) -> None:
    """Measures the rows that the command line names, all without one, and prints a table."""
    said = said or arguments().parse_args()
    import gcg

    print(", ".join([f"gcg {gcg.__version__}", *(f"{p} {importlib.metadata.version(p)}" for p in rivals)]))
    print("\n| problem | solver | CPU s | gcg's share | measure | reached |\n|---|---|---:|---:|---|---:|")
    for row in rows:
        if said.only in row.problem:
            print_row(row, said.repeats)


def print_row(row: Row, repeats: int) -> None:
    reached: dict[str, tuple[float, float]] = {}
    for solver, fit in row.solvers.items():
        try:
            seconds, answer = measured(fit, repeats)
        except Exception as error:  # a rival that fails costs its own row
            print(f"{row.problem}: {solver}: {error!r}", file=sys.stderr)
            continue
        reached[solver] = seconds, row.worth(answer)
    best = (max if row.larger else min)(worth for _, worth in reached.values())
    for solver, (seconds, worth) in reached.items():
        share = f"{reached['gcg'][0] / seconds:.2f}" if "gcg" in reached else ""
        value = f"{worth / best - 1:.1e}" if row.relative else f"{worth:.4f}"
        print(f"| {row.problem} | {solver} | {seconds:.3f} | {share} | {row.measure} | {value} |", flush=True)
