"""The lasso beside scikit-learn, celer, skglm and adelie: CPU seconds and the accuracy that each one reached.

    OMP_NUM_THREADS=1 python benchmarks/linear.py

One thread, medians of five after a first call that compiles. CPU seconds count the command's process too. Accuracy is the
objective over the best one of any, less 1; each package has a tolerance with which it should reach 1e-6.
"""

from __future__ import annotations

import resource
import statistics
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import Lasso

import gcg

warnings.simplefilter("ignore")
REPEATS = 5


def cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def dense_problem() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 2000))
    w = np.zeros(2000)
    w[rng.choice(2000, 50, replace=False)] = rng.standard_normal(50)
    return X, X @ w + rng.standard_normal(1000)


def sparse_problem() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = sparse.random(5000, 20000, density=0.002, random_state=rng, format="csc")
    w = np.zeros(20000)
    w[rng.choice(20000, 100, replace=False)] = rng.standard_normal(100)
    return X, X @ w + 0.1 * rng.standard_normal(5000)


def solvers(alpha: float, n: int) -> dict[str, Callable[[Any, Any], Any]]:
    """Fits without intercept; each returns the weights."""

    def of_celer(X: Any, y: Any) -> Any:
        import celer

        return celer.Lasso(alpha=alpha, fit_intercept=False, tol=1e-6).fit(X, y).coef_

    def of_skglm(X: Any, y: Any) -> Any:
        import skglm

        return skglm.Lasso(alpha=alpha, fit_intercept=False, tol=1e-6).fit(X, y).coef_

    def of_adelie(X: Any, y: Any) -> Any:
        import adelie

        Z = (
            adelie.matrix.sparse(X, method="naive")
            if sparse.issparse(X)
            else adelie.matrix.dense(np.asfortranarray(X), method="naive")
        )
        state = adelie.grpnet(
            X=Z,
            glm=adelie.glm.gaussian(y=y),
            lmda_path=[alpha],
            intercept=False,
            progress_bar=False,
            tol=1e-12,
            early_exit=False,
        )
        return np.asarray(state.betas.toarray())[-1]

    return {
        "gcg": lambda X, y: gcg.SparseRegressor(alpha=alpha, fit_intercept=False, tol=1e-6, n_jobs=1).fit(X, y).coef_,
        "scikit-learn": lambda X, y: Lasso(alpha=alpha, fit_intercept=False, tol=1e-6, max_iter=100_000).fit(X, y).coef_,
        "celer": of_celer,
        "skglm": of_skglm,
        "adelie": of_adelie,
    }


def objective(X: Any, y: Any, w: Any, alpha: float) -> float:
    return float(((y - X @ w) ** 2).sum() / (2 * len(y)) + alpha * np.abs(w).sum())


def main() -> None:
    print("| problem | solver | CPU s | objective over best - 1 |\n|---|---|---:|---:|")
    for name, (X, y) in {"dense 1000 × 2000": dense_problem(), "sparse 5000 × 20000": sparse_problem()}.items():
        top = float(np.abs(X.T @ y).max()) / len(y)
        for part in (0.1, 0.01):
            alpha, rows = part * top, {}
            for solver, fit in solvers(alpha, len(y)).items():
                try:
                    w = fit(X, y)
                except Exception as error:
                    print(f"{solver}: {error}", file=sys.stderr)
                    continue
                seconds = []
                for _ in range(REPEATS):
                    start = cpu()
                    w = fit(X, y)
                    seconds.append(cpu() - start)
                rows[solver] = statistics.median(seconds), objective(X, y, w, alpha)
            best = min(f for _, f in rows.values())
            for solver, (seconds, f) in rows.items():
                print(f"| {name}, {part} α_max | {solver} | {seconds:.3f} | {f / best - 1:.1e} |", flush=True)


if __name__ == "__main__":
    main()
