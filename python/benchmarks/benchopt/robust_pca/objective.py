import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    """½‖D - L - S‖² + λ‖L‖_* + λ₁‖S‖₁ with λ₁ = λ/√max(n, d), and λ as a part of σ₁(D)."""

    name = "Robust PCA"
    url = "https://github.com/seed-b18ef778/gcg"
    min_benchopt_version = "1.8"
    parameters = {"reg": [0.05]}
    sampling_strategy = "tolerance"

    def set_data(self, D, low):
        self.D, self.low = D, low
        self.lam = self.reg * float(np.linalg.norm(D, 2))
        self.l1 = self.lam / np.sqrt(max(D.shape))

    def get_objective(self):
        return {"D": self.D, "lam": self.lam, "l1": self.l1}

    def get_one_result(self):
        return {"L": np.zeros_like(self.D), "S": np.zeros_like(self.D)}

    def evaluate_result(self, L, S):
        norm = np.linalg.svd(L, compute_uv=False).sum()
        value = 0.5 * ((self.D - L - S) ** 2).sum() + self.lam * norm + self.l1 * np.abs(S).sum()
        return {"value": value, "error": float(np.linalg.norm(L - self.low) / np.linalg.norm(self.low))}
