"""Pictures of fitted estimators, drawn with matplotlib where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["coefficients", "convergence", "path", "spectrum"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("gcg.plot draws with matplotlib: pip install matplotlib") from missing
    return plt.subplots(layout="constrained")[1]


def path(estimator: Any, ax: Any = None) -> Any:
    """Draw what lam="auto" tried: the error of what was held out by λ, with the λ that was taken.

    Parameters
    ----------
    estimator : fitted estimator with lam="auto"
    ax : matplotlib axes, default=None
        None makes new ones.

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(estimator)
    if not hasattr(estimator, "lambdas_"):
        raise ValueError("there is no path: the estimator was fitted with a number for lam")
    if not hasattr(estimator, "score_path_"):
        raise ValueError("the path has no scores")
    ax = _axes(ax)
    order = np.argsort(estimator.lambdas_)
    ax.semilogx(estimator.lambdas_[order], estimator.score_path_[order], marker="o", markersize=3)
    pick = np.argmax if estimator.score_name_ in ("accuracy", "ndcg") else np.argmin
    best = estimator.lambdas_[pick(estimator.score_path_)]
    ax.axvline(best, color="0.6", linewidth=1)
    ax.set(xlabel="λ", ylabel=f"held-out {estimator.score_name_}", title=type(estimator).__name__)
    return ax


def coefficients(estimator: Any, ax: Any = None) -> Any:
    """Draw the coefficients of a linear model by feature; those that are 0 have no stem.

    Parameters
    ----------
    estimator : fitted regressor or classifier
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(estimator)
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"{type(estimator).__name__} has no coefficients")
    ax = _axes(ax)
    weights = np.atleast_2d(estimator.coef_)
    for k, row in enumerate(weights):
        at = np.flatnonzero(row)
        ax.vlines(at, 0, row[at], color=f"C{k % 10}", linewidth=1)
        label = str(estimator.classes_[k]) if len(weights) == len(getattr(estimator, "classes_", [])) else f"{k}"
        ax.plot(at, row[at], "o", color=f"C{k % 10}", markersize=3, label=label)
    ax.axhline(0, color="0.6", linewidth=1)
    if 1 < len(weights) <= 10:
        ax.legend()
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and len(names) <= 30:
        ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set(xlabel="feature", ylabel="coefficient", title=f"{type(estimator).__name__}, λ {estimator.lam_:.3g}")
    return ax


def convergence(estimator: Any, ax: Any = None) -> Any:
    """Draw the objective and the lower bound by time: the optimum lies between them.

    Parameters
    ----------
    estimator : fitted estimator
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(estimator)
    events = [e for e in estimator.history_ if e.get("lower_bound") is not None]
    if not events:
        raise ValueError("the fit left no events with a bound")
    ax = _axes(ax)
    seconds = [e["seconds"] for e in events]
    upper = np.minimum.accumulate([e["objective"] for e in events])
    lower = np.maximum.accumulate([e["lower_bound"] for e in events])
    ax.plot(seconds, upper, marker="o", markersize=3, label="objective")
    ax.plot(seconds, lower, marker="o", markersize=3, label="lower bound")
    ax.fill_between(seconds, lower, upper, alpha=0.2)
    ax.legend()
    gap = estimator.certificate_.relative_gap
    ax.set(xlabel="seconds", ylabel="objective", title=f"{type(estimator).__name__}, relative gap {gap:.1e}")
    return ax


def spectrum(estimator: Any, ax: Any = None) -> Any:
    """Draw the singular values of the fitted matrix.

    Parameters
    ----------
    estimator : fitted estimator of a low-rank model
    ax : matplotlib axes, default=None

    Returns
    -------
    matplotlib axes
    """
    check_is_fitted(estimator)
    values = np.sort(estimator._model.s)[::-1]
    if len(values) == 0 and estimator._model.entries() is not None:
        values = np.linalg.svd(estimator._model.dense(), compute_uv=False)
    ax = _axes(ax)
    ax.semilogy(range(1, len(values) + 1), values, marker="o", markersize=3)
    ax.set(xlabel="number", ylabel="singular value", title=f"{type(estimator).__name__}, rank {estimator.rank_}")
    return ax
