import cmfrec
from benchopt import BaseSolver


class Solver(BaseSolver):
    """Alternating least squares of factors of a fixed rank, whose ridge penalties are those of the trace norm."""

    name = "cmfrec"
    sampling_strategy = "iteration"
    parameters = {"rank": [20]}
    requirements = ["pip::cmfrec"]

    def set_objective(self, X, lam):
        self.X, self.lam = X.tocoo(), lam

    def run(self, n_iter):
        options = {"user_bias": False, "item_bias": False, "center": False, "use_float": False, "nthreads": 1}
        self.model = cmfrec.CMF(k=self.rank, lambda_=self.lam, niter=max(n_iter, 1), **options).fit(self.X)

    def get_result(self):
        return {"U": self.model.A_, "V": self.model.B_}
