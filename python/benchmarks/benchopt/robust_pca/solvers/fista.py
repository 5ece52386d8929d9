import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    """Accelerated proximal steps on both parts, with a full singular value decomposition [Beck, Teboulle 2009]."""

    name = "FISTA"
    sampling_strategy = "iteration"

    def set_objective(self, D, lam, l1):
        self.D, self.lam, self.l1 = D, lam, l1

    def run(self, n_iter):
        L, S = np.zeros_like(self.D), np.zeros_like(self.D)
        YL, YS, t, step = L, S, 1.0, 0.5  # the sum of both parts has a Lipschitz constant of 2
        for _ in range(n_iter):
            R = step * (self.D - YL - YS)
            U, s, V = np.linalg.svd(YL + R, full_matrices=False)
            nextL = (U * np.maximum(s - step * self.lam, 0)) @ V
            nextS = np.sign(YS + R) * np.maximum(np.abs(YS + R) - step * self.l1, 0)
            after = (1 + np.sqrt(1 + 4 * t * t)) / 2
            YL, YS = (new + (t - 1) / after * (new - old) for new, old in ((nextL, L), (nextS, S)))
            L, S, t = nextL, nextS, after
        self.L, self.S = L, S

    def get_result(self):
        return {"L": self.L, "S": self.S}
