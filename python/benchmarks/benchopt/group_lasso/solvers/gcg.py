import numpy as np
from benchopt import BaseSolver

import gcg


class Solver(BaseSolver):
    """Coordinate descent on a working set with a certificate."""

    name = "gcg"
    sampling_strategy = "tolerance"

    def set_objective(self, X, y, size, alpha):
        self.X, self.y = X, y
        self.options = {"alpha": alpha, "groups": np.arange(X.shape[1]) // size, "fit_intercept": False, "n_jobs": 1}

    def run(self, tolerance):
        self.w = gcg.SparseRegressor(**self.options, tol=max(tolerance, 1e-12)).fit(self.X, self.y).coef_

    def get_result(self):
        return {"w": self.w}
