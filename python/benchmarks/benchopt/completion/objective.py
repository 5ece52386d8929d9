import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """½ Σ over known (w_ij - x_ij)² + λ‖W‖_*, with λ as a part of the smallest that has W = 0."""

    name = "Matrix completion"
    url = "https://github.com/seed-b18ef778/gcg"
    min_benchopt_version = "1.8"
    parameters = {"reg": [0.1, 0.02]}
    sampling_strategy = "tolerance"

    def set_data(self, X, held_out):
        """X is CSR with the known entries; held_out has (rows, columns, values)."""
        self.X, self.held_out = X, held_out
        from scipy.sparse.linalg import svds

        self.lam = self.reg * float(svds(X, k=1, return_singular_vectors=False)[0])

    def get_objective(self):
        return {"X": self.X, "lam": self.lam}

    def get_one_result(self):
        return {"U": np.zeros((self.X.shape[0], 1)), "V": np.zeros((self.X.shape[1], 1))}

    def evaluate_result(self, U, V):
        """W = U Vᵀ; its trace norm is that of the product of the triangles of both factors."""
        X = self.X.tocoo()
        off = np.einsum("nk,nk->n", U[X.row], V[X.col]) - X.data
        norm = np.linalg.svd(np.linalg.qr(U)[1] @ np.linalg.qr(V)[1].T, compute_uv=False).sum()
        rows, cols, values = self.held_out
        error = np.einsum("nk,nk->n", U[rows], V[cols]) - values
        return {"value": 0.5 * off @ off + self.lam * norm, "test_rmse": float(np.sqrt((error**2).mean()))}
