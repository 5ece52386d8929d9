import celer
from benchopt import BaseSolver


class Solver(BaseSolver):
    """Block coordinate descent on a working set."""

    name = "celer"
    sampling_strategy = "tolerance"
    requirements = ["pip::celer"]

    def set_objective(self, X, y, size, alpha):
        self.X, self.y, self.size, self.alpha = X, y, size, alpha
        self.run(1.0)  # compiles

    def run(self, tolerance):
        model = celer.GroupLasso(self.size, self.alpha, fit_intercept=False, tol=max(tolerance, 1e-12))
        self.w = model.fit(self.X, self.y).coef_

    def get_result(self):
        return {"w": self.w}
