"""Tasks by a column."""

import numpy as np
import pandas as pd
import pytest

import gcg


def samples():
    rng = np.random.default_rng(0)
    w = rng.normal(size=(4, 1)) @ rng.normal(size=(1, 5))
    task = rng.integers(0, 4, 200)
    x = rng.normal(size=(200, 5))
    return x, task, np.einsum("nd,nd->n", x, w[task]) + task + 0.01 * rng.normal(size=200)


def test_tasks_by_a_column():
    x, task, y = samples()
    both = np.column_stack([x[:, :2], task, x[:, 2:]])
    model = gcg.MultiTaskRegressor(lam=0.5, task=2).fit(both, y)
    assert model.coef_.shape == (4, 5)
    assert model.score(both, y) > 0.99
    assert model.certificate_.relative_gap < 1e-6
    kappa = np.linalg.svd(model.coef_, compute_uv=False).sum()
    objective = ((model.predict(both) - y) ** 2).sum() / 2 + 0.5 * kappa
    assert np.isclose(objective, model.certificate_.objective, rtol=1e-6)
    frame = pd.DataFrame(x, columns=list("abcde")).assign(school=np.array(["d", "c", "b", "a"])[task])
    named = gcg.MultiTaskRegressor(lam=0.5, task="school").fit(frame, y)
    assert named.tasks_.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_allclose(named.predict(frame), model.predict(both), atol=1e-3)
    with pytest.raises(ValueError, match="task 'e' is not among those of the fit"):
        named.predict(frame.assign(school="e"))
    assert gcg.MultiTaskRegressor(task="school").fit(frame, y).score(frame, y) > 0.99
