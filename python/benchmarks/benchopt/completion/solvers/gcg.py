from benchopt import BaseSolver

import gcg


class Solver(BaseSolver):
    """Generalized conditional gradient with local search [Yu, Zhang, Schuurmans 2017]."""

    name = "gcg"
    sampling_strategy = "tolerance"

    def set_objective(self, X, lam):
        self.X, self.lam = X, lam

    def run(self, tolerance):
        options = {"center": "none", "weights": "none", "clip": "none", "n_jobs": 1}
        self.model = gcg.Recommender(lam=self.lam, tol=max(tolerance, 1e-9), **options).fit(self.X)

    def get_result(self):
        return {"U": self.model.user_factors, "V": self.model.item_factors}
