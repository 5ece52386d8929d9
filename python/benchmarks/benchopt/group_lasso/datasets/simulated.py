import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """Independent features of which a few groups count."""

    name = "Simulated"
    parameters = {"n, d, size": [(500, 2000, 10), (200, 500, 5)]}
    test_parameters = {"n, d, size": [(40, 60, 5)]}

    def get_data(self):
        rng = np.random.default_rng(self.get_seed())
        X, w = np.asfortranarray(rng.standard_normal((self.n, self.d))), np.zeros(self.d)
        w[: 5 * self.size] = rng.standard_normal(5 * self.size)
        return {"X": X, "y": X @ w + rng.standard_normal(self.n), "size": self.size}
