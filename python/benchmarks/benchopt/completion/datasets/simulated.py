import numpy as np
from benchopt import BaseDataset
from scipy import sparse


class Dataset(BaseDataset):
    """A matrix of some rank with noise, known at a part of its entries."""

    name = "Simulated"
    parameters = {"n_rows, n_cols, rank": [(1000, 500, 5), (300, 200, 3)], "known": [0.1]}
    test_parameters = {"n_rows, n_cols, rank": [(60, 40, 2)], "known": [0.5]}

    def get_data(self):
        rng = np.random.default_rng(self.get_seed())
        full = rng.standard_normal((self.n_rows, self.rank)) @ rng.standard_normal((self.rank, self.n_cols))
        full += 0.3 * rng.standard_normal(full.shape)
        draw = rng.random(full.shape)
        rows, cols = np.nonzero(draw < self.known)
        others = np.nonzero((draw >= self.known) & (draw < 1.2 * self.known))
        X = sparse.csr_matrix((full[rows, cols], (rows, cols)), shape=full.shape)
        return {"X": X, "held_out": (*others, full[others])}
