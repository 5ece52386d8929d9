import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    """A table of some rank with dense noise and a part of gross errors."""

    name = "Simulated"
    parameters = {"n, d, rank": [(500, 300, 10), (200, 100, 5)], "errors": [0.05]}
    test_parameters = {"n, d, rank": [(40, 30, 2)], "errors": [0.05]}

    def get_data(self):
        rng = np.random.default_rng(self.get_seed())
        low = rng.standard_normal((self.n, self.rank)) @ rng.standard_normal((self.rank, self.d))
        D = low + 0.1 * rng.standard_normal(low.shape)
        at = rng.random(D.shape) < self.errors
        D[at] += rng.uniform(-20, 20, at.sum())
        return {"D": D, "low": low}
