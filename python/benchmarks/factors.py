"""Multinomial classification with the trace norm, beside L-BFGS on factors of the rank of the optimum.

    pip install scipy
    python benchmarks/factors.py --data DIR [--only PART] [--repeats 5]

The rival minimises the mean of softmax losses of X U Vᵀ plus λ/2 (‖U‖² + ‖V‖²), which is least where gcg's problem is, from a
random point until F is within 1e-4 of the optimum, which it is told with the rank, by a run of gcg to 1e-7. gcg certifies
1e-4 and is told nothing. CPU seconds of one thread without reading, medians, in turns; a repeat is another point.
"""

from __future__ import annotations

from beside import arguments, cpu  # isort: skip

import json
import statistics
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult, minimize

NEAR = 1e-4
PROBLEMS = {
    "letter, λ = 0.001": ("letter", "letter", ["--lambda", "0.001"]),
    "mfeat zer, λ = 0.001 λ_max": ("mfeat", "mfeat.zer", ["--lambda-ratio", "0.001"]),
    "mfeat fou, λ = 0.001 λ_max": ("mfeat", "mfeat.fou", ["--lambda-ratio", "0.001"]),
}


def gcg(x: Path, y: Path, words: list[str], tol: float) -> Any:
    """What gcg fit classification prints."""
    command = ["gcg", "fit", "classification", "--features", str(x), "--labels", str(y), *words]
    command += ["--tol", str(tol), "--threads", "1", "--json", "--quiet"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def factors(x: Any, y: Any, lam: float, rank: int, goal: float, seed: int) -> tuple[float, float]:
    """CPU seconds until F is at most the goal, and the last F."""
    n, p = x.shape
    classes = y.max() + 1
    rows = np.arange(n)

    def value(w: Any) -> tuple[float, Any]:
        u, v = w[: p * rank].reshape(p, rank), w[p * rank :].reshape(classes, rank)
        xu = x @ u
        z = xu @ v.T
        z -= z.max(axis=1, keepdims=True)
        residual = np.exp(z)
        sums = residual.sum(axis=1)
        loss = (np.log(sums) - z[rows, y]).sum() / n
        residual /= sums[:, None] * n
        residual[rows, y] -= 1 / n
        gradient = x.T @ (residual @ v) + lam * u, residual.T @ xu + lam * v
        return loss + lam / 2 * (w @ w), np.concatenate([g.ravel() for g in gradient])

    def reached(intermediate_result: OptimizeResult) -> None:
        if intermediate_result.fun <= goal:
            raise StopIteration

    start = np.random.default_rng(seed).standard_normal((p + classes) * rank) / np.sqrt(p)
    limits = {"maxiter": 20000, "maxfun": 40000, "ftol": 0, "gtol": 0}
    began = cpu()
    end = minimize(value, start, jac=True, method="L-BFGS-B", callback=reached, options=limits)
    return cpu() - began, end.fun


def main() -> None:
    options = arguments()
    options.add_argument("--data", type=Path, required=True)
    a = options.parse_args()
    print("| problem | gcg, certified 1e-4 | L-BFGS, 1e-4 | ratio | reached |\n|---|---:|---:|---:|---:|")
    for problem, (folder, name, words) in PROBLEMS.items():
        if a.only not in problem:
            continue
        x, y = a.data / folder / f"{name}.X.csv.gz", a.data / folder / f"{folder}.y.csv"
        best = gcg(x, y, words, 1e-7)
        rows = np.loadtxt(x, delimiter=",")
        _, labels = np.unique(np.loadtxt(y, dtype=str), return_inverse=True)
        goal, times = best["objective"] * (1 + NEAR), []
        for seed in range(a.repeats):
            ours = gcg(x, y, words, NEAR)["cpu_seconds"]
            theirs, f = factors(rows, labels, best["lambda"], best["rank"], goal, seed)
            times.append((ours, theirs, f <= goal))
        us, them = (statistics.median(t[k] for t in times) for k in range(2))
        reached = sum(t[2] for t in times)
        print(f"| {problem} | {us:.3g} | {them:.3g} | {us / them:.2f} | {reached} of {a.repeats} |", flush=True)


if __name__ == "__main__":
    main()
