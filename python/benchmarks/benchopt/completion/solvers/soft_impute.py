import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    """SoftImpute: proximal steps with a full singular value decomposition [Mazumder, Hastie, Tibshirani 2010]."""

    name = "SoftImpute"
    sampling_strategy = "iteration"

    def set_objective(self, X, lam):
        self.X, self.lam = X.tocoo(), lam

    def run(self, n_iter):
        X, W = self.X, np.zeros(self.X.shape)
        U, s, V = np.zeros((X.shape[0], 1)), np.zeros(1), np.zeros((1, X.shape[1]))
        for _ in range(n_iter):
            W[X.row, X.col] = X.data
            U, s, V = np.linalg.svd(W, full_matrices=False)
            s = np.maximum(s - self.lam, 0)
            W = (U * s) @ V
        self.U, self.V = U * s, V.T

    def get_result(self):
        return {"U": self.U, "V": self.V}
