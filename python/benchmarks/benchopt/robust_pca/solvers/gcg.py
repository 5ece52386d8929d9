from benchopt import BaseSolver

import gcg


class Solver(BaseSolver):
    """Alternating directions with a certificate."""

    name = "gcg"
    sampling_strategy = "tolerance"

    def set_objective(self, D, lam, l1):
        self.D, self.lam, self.l1 = D, lam, l1

    def run(self, tolerance):
        tol = max(tolerance, 1e-9)
        self.model = gcg.RobustPCA(self.lam, l1=self.l1, equal=False, tol=tol, n_jobs=1).fit(self.D)

    def get_result(self):
        return {"L": self.model.low_rank_, "S": self.model.sparse_}
