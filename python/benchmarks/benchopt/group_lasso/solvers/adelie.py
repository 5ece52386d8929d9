import adelie
import numpy as np
from benchopt import BaseSolver


class Solver(BaseSolver):
    """Block coordinate descent by Newton steps on the norms of groups."""

    name = "adelie"
    sampling_strategy = "tolerance"
    requirements = ["pip::adelie"]

    def set_objective(self, X, y, size, alpha):
        self.X, self.y, self.first, self.alpha = X, y, np.arange(0, X.shape[1], size), alpha

    def run(self, tolerance):
        state = adelie.grpnet(
            X=adelie.matrix.dense(self.X, method="naive"),
            glm=adelie.glm.gaussian(y=self.y),
            groups=self.first,
            penalty=np.ones(len(self.first)),
            lmda_path=[self.alpha],
            intercept=False,
            progress_bar=False,
            early_exit=False,
            tol=max(tolerance**2, 1e-14),
        )
        self.w = np.asarray(state.betas.toarray())[-1]

    def get_result(self):
        return {"w": self.w}
