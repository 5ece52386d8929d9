import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """‖y - Xw‖²/(2n) + α Σ‖w_g‖₂ over groups of neighbours, with α as a part of the smallest that has w = 0."""

    name = "Group lasso"
    url = "https://github.com/seed-b18ef778/gcg"
    min_benchopt_version = "1.8"
    parameters = {"reg": [0.1, 0.01]}
    sampling_strategy = "tolerance"

    def set_data(self, X, y, size):
        self.X, self.y, self.size = X, y, size
        self.alpha = self.reg * float(self._norms(X.T @ y).max()) / len(y)

    def _norms(self, w):
        return np.linalg.norm(w.reshape(-1, self.size), axis=1)

    def get_objective(self):
        return {"X": self.X, "y": self.y, "size": self.size, "alpha": self.alpha}

    def get_one_result(self):
        return {"w": np.zeros(self.X.shape[1])}

    def evaluate_result(self, w):
        off = self.y - self.X @ w
        return {
            "value": off @ off / (2 * len(off)) + self.alpha * self._norms(w).sum(),
            "groups": int((self._norms(w) > 0).sum()),
        }
