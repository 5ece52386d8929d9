"""Sparse regression and classification beside scikit-learn, celer, skglm and adelie.

    python benchmarks/linear.py [--only PART] [--repeats 5]

One thread, medians of five after a first call that compiles. CPU seconds count the command's process too. Accuracy is the
objective over the best one of any, less 1, and the sum of the objectives where a row is a path; each package has a tolerance
with which it should reach 1e-6. No fit has an intercept.
"""

from __future__ import annotations

from beside import Fit, Row, run  # isort: skip

from functools import partial
from typing import Any

import adelie
import celer
import numpy as np
import skglm
from scipy import sparse
from sklearn import linear_model

import gcg
from gcg import _bridge
from gcg._base import features

POINTS = 100


def dense_problem(n: int = 1000, d: int = 2000) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    w = np.zeros(d)
    w[rng.choice(d, 50, replace=False)] = rng.standard_normal(50)
    return np.asfortranarray(X), X @ w + rng.standard_normal(n)


def sparse_problem() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = sparse.random(5000, 20000, density=0.002, random_state=rng, format="csc")
    w = np.zeros(20000)
    w[rng.choice(20000, 100, replace=False)] = rng.standard_normal(100)
    return X, X @ w + 0.1 * rng.standard_normal(5000)


def of_adelie(X: Any, y: Any, alphas: Any, groups: Any = None, penalty: Any = None, loss: Any = None) -> Any:
    kind = adelie.matrix.sparse if sparse.issparse(X) else adelie.matrix.dense
    state = adelie.grpnet(
        X=kind(X, method="naive"),
        glm=adelie.glm.gaussian(y=y) if loss is None else loss(y=y),
        groups=groups,
        penalty=penalty,
        lmda_path=list(alphas),
        intercept=False,
        progress_bar=False,
        tol=1e-12,
        early_exit=False,
    )
    return np.asarray(state.betas.toarray())


def path_of_gcg(X: Any, y: Any, alphas: Any, groups: Any = None) -> Any:
    """The objectives of a path of the command, whose λ are in geometric progression as those of the others are."""
    files = [_bridge.File("features", features(X), "X"), _bridge.File("targets", y.reshape(-1, 1), "y")]
    if groups is not None:
        files.append(_bridge.File("gauge", gcg._linear.group_lines(groups, X.shape[1]), "groups", "group:"))
    flags = [f"--points={len(alphas)}", f"--ratio={alphas[-1] / alphas[0]!r}", "--tol=1e-6"]
    tried = _bridge.call(["path", "regression", *flags], files, model=False).result
    return np.array([t["objective"] for t in tried]) / len(y)


def squares(X: Any, y: Any, penalty: Any, alphas: Any, w: Any) -> float:
    """The sum of mean squared losses with their penalties, of the weights at each alpha or of objectives."""
    if np.shape(w) == np.shape(alphas):
        return float(np.sum(w))
    return float(
        sum(((y - X @ v) ** 2).sum() / (2 * len(y)) + a * penalty(v) for a, v in zip(alphas, np.atleast_2d(w), strict=True))
    )


def l1(w: Any) -> float:
    return float(np.abs(w).sum())


def lasso(name: str, X: Any, y: Any, part: float) -> Row:
    alpha = part * float(np.abs(X.T @ y).max()) / len(y)
    own: dict[str, Any] = {"alpha": alpha, "fit_intercept": False, "tol": 1e-6}
    solvers: dict[str, Fit] = {
        "gcg": lambda: gcg.SparseRegressor(**own, n_jobs=1).fit(X, y).coef_,
        "scikit-learn": lambda: linear_model.Lasso(**own, max_iter=100_000).fit(X, y).coef_,
        "celer": lambda: celer.Lasso(**own).fit(X, y).coef_,
        "skglm": lambda: skglm.Lasso(**own).fit(X, y).coef_,
        "adelie": lambda: of_adelie(X, y, [alpha])[-1],
    }
    return Row(f"lasso {name}, {part} of the largest", solvers, partial(squares, X, y, l1, [alpha]))


def lasso_path(name: str, X: Any, y: Any, last: float) -> Row:
    alphas = float(np.abs(X.T @ y).max()) / len(y) * np.geomspace(1, last, POINTS)
    solvers: dict[str, Fit] = {
        "gcg": lambda: path_of_gcg(X, y, alphas),
        "scikit-learn": lambda: linear_model.lasso_path(X, y, alphas=alphas, tol=1e-6, max_iter=100_000)[1].T,
        "celer": lambda: celer.celer_path(X, y, pb="lasso", alphas=alphas, tol=1e-6)[1].T,
        "skglm": lambda: skglm.Lasso(fit_intercept=False, tol=1e-6).path(X, y, alphas)[1].T,
        "adelie": lambda: of_adelie(X, y, alphas),
    }
    return Row(f"lasso {name}, path of {POINTS} to {last}", solvers, partial(squares, X, y, l1, alphas))


def groups(X: Any, y: Any, size: int, part: float, points: int = 1) -> Row:
    first = np.arange(0, X.shape[1], size)
    top = float(np.sqrt(np.add.reduceat((X.T @ y) ** 2, first)).max()) / len(y)
    alphas = top * (np.geomspace(1, part, points) if points > 1 else np.array([part]))
    labels, ones = np.repeat(first, size), np.ones(len(first))
    own: dict[str, Any] = {"alpha": alphas[0], "fit_intercept": False, "tol": 1e-6}

    def norm(w: Any) -> float:
        return float(np.sqrt(np.add.reduceat(w * w, first)).sum())

    solvers: dict[str, Fit] = {
        "gcg": lambda: gcg.SparseRegressor(**own, groups=labels, n_jobs=1).fit(X, y).coef_,
        "celer": lambda: celer.GroupLasso(size, **own).fit(X, y).coef_,
        "skglm": lambda: skglm.GroupLasso(size, **own).fit(X, y).coef_,
        "adelie": lambda: of_adelie(X, y, alphas, first, ones),
    }
    if points > 1:
        for rival in ("celer", "skglm"):
            del solvers[rival]
        solvers["gcg"] = lambda: path_of_gcg(X, y, alphas, labels)
    what = f"path of {points} to {part}" if points > 1 else f"{part} of the largest"
    return Row(f"groups of {size}, {X.shape[0]} × {X.shape[1]}, {what}", solvers, partial(squares, X, y, norm, alphas))


def tasks(part: float) -> Row:
    rng = np.random.default_rng(2)
    X, W = rng.standard_normal((500, 1000)), np.zeros((1000, 10))
    W[:20] = rng.standard_normal((20, 10))
    Y = X @ W + rng.standard_normal((500, 10))
    alpha = part * float(np.linalg.norm(X.T @ Y, axis=1).max()) / len(Y)
    own: dict[str, Any] = {"alpha": alpha, "fit_intercept": False, "tol": 1e-6}

    def objective(w: Any) -> float:
        return float(((Y - X @ w.T) ** 2).sum() / (2 * len(Y)) + alpha * np.linalg.norm(w, axis=0).sum())

    solvers: dict[str, Fit] = {
        "gcg": lambda: gcg.MultiTaskRegressor(**own, penalty="group", n_jobs=1).fit(X, Y).coef_,
        "scikit-learn": lambda: linear_model.MultiTaskLasso(**own, max_iter=100_000).fit(X, Y).coef_,
        "celer": lambda: celer.MultiTaskLasso(**own).fit(X, Y).coef_,
        "skglm": lambda: skglm.MultiTaskLasso(**own).fit(X, Y).coef_,
    }
    return Row(f"ten tasks, 500 × 1000, {part} of the largest", solvers, objective)


def logistic(name: str, X: Any, y: Any, part: float) -> Row:
    signs = np.where(y > 0, 1.0, -1.0)
    lam = part * float(np.abs(X.T @ signs).max()) / 2

    def objective(w: Any) -> float:
        w = np.ravel(w)
        return float(np.logaddexp(0, -signs * (X @ w)).sum() + lam * l1(w))

    own: dict[str, Any] = {"C": 1 / lam, "fit_intercept": False}
    sk: dict[str, Any] = {**own, "l1_ratio": 1, "tol": 1e-7, "max_iter": 10_000}
    solvers: dict[str, Fit] = {
        "gcg": lambda: gcg.SparseClassifier(**own, tol=1e-6, n_jobs=1).fit(X, signs).coef_,
        "scikit-learn, liblinear": lambda: linear_model.LogisticRegression(**sk, solver="liblinear").fit(X, signs).coef_,
        "celer": lambda: celer.LogisticRegression(**own, tol=1e-6).fit(X, signs).coef_,
        "skglm": lambda: skglm.SparseLogisticRegression(lam / len(y), fit_intercept=False, tol=1e-6).fit(X, signs).coef_,
    }
    return Row(f"logistic {name}, {part} of the largest", solvers, objective)


def classes(part: float) -> Row:
    rng = np.random.default_rng(3)
    X, W = rng.standard_normal((1000, 500)), np.zeros((500, 5))
    W[:20] = rng.standard_normal((20, 5))
    labels = (X @ W + rng.gumbel(size=(1000, 5))).argmax(1)
    hot = np.eye(5)[labels]
    lam = part * float(np.abs(X.T @ (hot - 0.2)).max())

    def objective(w: Any) -> float:
        z = X @ w.T
        return float(np.logaddexp.reduce(z, axis=1).sum() - (z * hot).sum() + lam * np.abs(w).sum())

    own: dict[str, Any] = {"C": 1 / lam, "fit_intercept": False}
    sk: dict[str, Any] = {**own, "l1_ratio": 1, "tol": 1e-5, "max_iter": 10_000}
    solvers: dict[str, Fit] = {
        "gcg": lambda: gcg.SparseClassifier(**own, tol=1e-6, n_jobs=1).fit(X, labels).coef_,
        "scikit-learn, saga": lambda: linear_model.LogisticRegression(**sk, solver="saga").fit(X, labels).coef_,
    }
    return Row(f"five classes, 1000 × 500, {part} of the largest", solvers, objective)


def main() -> None:
    dense, thin = dense_problem(), sparse_problem()
    wide = dense_problem(1000, 10_000)
    rows = [
        *(lasso("dense 1000 × 2000", *dense, part) for part in (0.1, 0.01)),
        *(lasso("dense 1000 × 10000", *wide, part) for part in (0.1, 0.01)),
        *(lasso("sparse 5000 × 20000", *thin, part) for part in (0.1, 0.01)),
        lasso_path("dense 1000 × 2000", *dense, 0.01),
        lasso_path("dense 1000 × 10000", *wide, 0.01),
        lasso_path("sparse 5000 × 20000", *thin, 0.01),
        *(groups(*dense, 10, part) for part in (0.1, 0.01)),
        groups(*dense, 10, 0.05, POINTS),
        *(tasks(part) for part in (0.1, 0.01)),
        *(logistic("dense 1000 × 2000", *dense, part) for part in (0.1, 0.01)),
        *(logistic("sparse 5000 × 20000", *thin, part) for part in (0.1, 0.01)),
        classes(0.1),
    ]
    run(rows, ["scikit-learn", "celer", "skglm", "adelie"])


if __name__ == "__main__":
    main()
