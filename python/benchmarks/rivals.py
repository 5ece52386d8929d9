"""The rivals of gcg compare beside public implementations of the same methods.

    pip install pyproximal copt pymanopt
    python benchmarks/rivals.py --data DIR [--octave octave --lrs DIR] [--only PART] [--repeats 5]

Ours run in the loop of the library, on its clock and with its certificate; theirs have none. Both go on until the objective is
within a bound of the optimum, which gcg certifies to 1e-7 before. How many iterations theirs take for that is found first; then
they run so many again without measuring, and CPU seconds are of that alone. Neither counts reading. One thread, medians.

The problems: robust components (ialm, beside the authors' code in LRSLibrary, run by Octave), sparse and low-rank recovery
(gfb, beside pyproximal's generalized proximal gradient), completion (apg and prox++, beside pyproximal's accelerated one;
js, beside copt's conditional gradient on a ball of the trace norm; mmbs, beside pymanopt's trust regions on U B Vᵀ at the rank
of the solution), the lasso in a ball (pairwise, beside copt's).
"""

from __future__ import annotations

from beside import arguments, cpu  # isort: skip

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

GCG = "gcg"
Objective = Callable[[Any], float]
Run = Callable[[int], Any]


def gcg(*words: str) -> Any:
    """What a command of gcg prints with --json."""
    done = subprocess.run([GCG, *words, "--json", "--quiet", "--threads", "1"], capture_output=True, check=True)
    return json.loads(done.stdout)


@dataclass(frozen=True)
class Contest:
    """A problem: the words of gcg fit for it, our rival and theirs, and how near both have to come."""

    problem: str
    words: list[str]
    ours: str
    theirs: str
    run: Run  # so many iterations
    objective: Objective
    near: float
    most: int = 4000


def fewest(c: Contest, goal: float) -> int:
    """The fewest iterations of theirs, up to a twentieth, whose objective is at most the goal."""
    low, high = 0, 1
    while c.objective(c.run(high)) > goal:
        low, high = high, 2 * high
        if high > c.most:
            return 0
    while high - low > max(1, low // 20):
        middle = (low + high) // 2
        low, high = (low, middle) if c.objective(c.run(middle)) <= goal else (middle, high)
    return high


def timed(run: Run, n: int, repeats: int) -> float:
    """The median of CPU seconds of n iterations."""
    seconds = []
    for _ in range(repeats):
        start = cpu()
        answer = run(n)
        said = getattr(answer, "seconds", None)  # of a program that reads first
        seconds.append(cpu() - start if said is None else said)
    return statistics.median(seconds)


def within(c: Contest, goal: float, repeats: int) -> tuple[float, int]:
    """The median of CPU seconds of our rival until its objective is at most the goal, and its steps."""
    words = ["fit", *c.words, "--solver", c.ours, "--max-time", "120s", "--tol", str(c.near / 10)]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as trace:
        gcg(*words, "--trace", trace.name)
        points = [json.loads(line) for line in Path(trace.name).read_text().splitlines()]
    steps = next((int(p["iteration"]) for p in points if p["objective"] <= goal), 0)
    if not steps:
        return float("nan"), 0
    again = [gcg(*words, "--max-iter", str(steps))["cpu_seconds"] for _ in range(repeats)]
    return statistics.median(again), steps


def contest(c: Contest, repeats: int) -> str:
    """A row of the table."""
    best = gcg("fit", *c.words, "--tol", "1e-7")["objective"]
    bound = best + c.near * abs(best)
    ours, steps = within(c, bound, repeats)
    n = fewest(c, bound)
    theirs = timed(c.run, n, repeats) if n else float("nan")
    theirs_said = f"{n} | {theirs:.3f} | {ours / theirs:.2f}" if n else f"never in {c.most} | | "
    return f"| {c.problem} | {c.ours} | {steps} | {ours:.3f} | {c.theirs} | {theirs_said} |"


def saved(folder: Path, name: str, table: np.ndarray) -> str:
    """A CSV file of a table."""
    np.savetxt(folder / name, table, fmt="%.17g", delimiter=",")
    return str(folder / name)


def entries(folder: Path, name: str, matrix: np.ndarray, known: np.ndarray) -> str:
    """A file of the known entries of a matrix."""
    with (folder / name).open("w") as f:
        f.write("user,item,rating\n")
        for i, j in zip(*np.nonzero(known), strict=True):
            f.write(f"{i},{j},{matrix[i, j]:.17g}\n")
    return str(folder / name)


def trace_norm(x: np.ndarray) -> float:
    return float(np.linalg.svd(x, compute_uv=False).sum())


def robust(folder: Path, octave: str, lrs: str) -> Contest:
    """Low rank with gross errors; the authors' code in Octave, which reads the matrix, and times itself."""
    rng = np.random.default_rng(0)
    n = 400
    low = rng.standard_normal((n, 20)) @ rng.standard_normal((20, n))
    d = low + np.where(rng.random((n, n)) < 0.05, rng.uniform(-50, 50, (n, n)), 0)
    name, weight = saved(folder, "robust.csv", d), 1 / np.sqrt(n)

    class Answer:
        def __init__(self, iterations: int) -> None:
            program = (
                f"addpath('{lrs}/algorithms/rpca/IALM', '{lrs}/libs/SVD'); d = dlmread('{name}', ',');"
                f"t = cputime; evalc('[l, s] = inexact_alm_rpca(d, {weight:.17g}, 1e-12, {iterations});'); t = cputime - t;"
                f"printf('%.17g %.17g\\n', sum(svd(l)) + {weight:.17g} * sum(abs(d(:) - l(:))), t);"
            )
            done = subprocess.run(
                [octave, "--quiet", "--no-gui", "--eval", program], capture_output=True, check=True, text=True
            )
            self.objective, self.seconds = (float(x) for x in done.stdout.split()[-2:])

    return Contest(
        f"robust components, {n} × {n}, rank 20, 5 % errors",
        ["rpca", "--features", name, "--equal", "--lambda", "1", "--l1", f"{weight:.17g}"],
        "ialm",
        "inexact_alm_rpca (LRSLibrary)",
        Answer,
        lambda a: a.objective,
        1e-4,
        200,
    )


def recovery(folder: Path) -> Contest:
    """[Argyriou14 eq 6.1] as a sum: blocks of low rank, two fifths of the entries known."""
    import pylops
    import pyproximal
    from pyproximal.optimization.primal import GeneralizedProximalGradient

    rng = np.random.default_rng(1)
    n = 200
    truth = np.zeros((n, n))
    for k in range(4):
        block = slice(50 * k, 50 * k + 30)
        truth[block, block] = rng.standard_normal((30, 2)) @ rng.standard_normal((2, 30))
    known = rng.random((n, n)) < 0.4
    noisy = truth + 0.1 * rng.standard_normal((n, n))
    name = entries(folder, "recovery.csv", noisy, known)
    mask, l1, lam = np.flatnonzero(known), 0.2, 2.0
    fit = pyproximal.L2(Op=pylops.Restriction(n * n, mask), b=noisy.ravel()[mask])

    def run(iterations: int) -> Any:
        parts = [pyproximal.L1(sigma=l1), pyproximal.Nuclear((n, n), sigma=lam)]
        return GeneralizedProximalGradient([fit], parts, x0=np.zeros(n * n), tau=1.9, niter=iterations)

    def objective(x: Any) -> float:
        x = np.asarray(x)
        return float(((x - noisy.ravel())[mask] ** 2).sum() / 2 + l1 * np.abs(x).sum() + lam * trace_norm(x.reshape(n, n)))

    words = ["recovery", "--train", name, "--shape", f"{n},{n}", "--normalize", "sum", "--l1", str(l1), "--lambda", str(lam)]
    return Contest(
        "sparse and low rank, 200 × 200, 40 % known",
        words,
        "gfb",
        "pyproximal GeneralizedProximalGradient",
        run,
        objective,
        1e-3,
    )


@dataclass(frozen=True)
class Completion:
    """Entries of a matrix of rank 5 with noise: 400 × 300, a third of them known."""

    name: str
    y: np.ndarray
    known: np.ndarray
    lam: float = 12.0

    @staticmethod
    def drawn(folder: Path) -> Completion:
        rng = np.random.default_rng(2)
        m, n = 400, 300
        y = rng.standard_normal((m, 5)) @ rng.standard_normal((5, n)) + 0.5 * rng.standard_normal((m, n))
        known = rng.random((m, n)) < 1 / 3
        return Completion(entries(folder, "completion.csv", y, known), np.where(known, y, 0), known)

    def words(self, *more: str) -> list[str]:
        return ["completion", "--train", self.name, "--center", "none", "--weights", "none", *more]

    def loss(self, x: np.ndarray) -> float:
        return float(((x - self.y)[self.known] ** 2).sum() / 2)

    def objective(self, x: np.ndarray) -> float:
        return self.loss(x) + self.lam * trace_norm(x)


def accelerated(c: Completion, ours: str) -> Contest:
    """Accelerated proximal gradient on W as a matrix. prox++ restarts it, and needs only a part of each decomposition."""
    import pylops
    import pyproximal
    from pyproximal.optimization.primal import AcceleratedProximalGradient

    mask = np.flatnonzero(c.known)
    fit = pyproximal.L2(Op=pylops.Restriction(c.y.size, mask), b=c.y.ravel()[mask])

    def run(iterations: int) -> Any:
        prox = pyproximal.Nuclear(c.y.shape, sigma=c.lam)
        return AcceleratedProximalGradient(fit, prox, x0=np.zeros(c.y.size), tau=1.0, niter=iterations)

    def objective(x: Any) -> float:
        return c.objective(np.asarray(x).reshape(c.y.shape))

    words = c.words("--lambda", str(c.lam))
    return Contest("completion, 400 × 300", words, ours, "pyproximal AcceleratedProximalGradient", run, objective, 1e-4)


def ball(c: Completion) -> Contest:
    """Conditional gradient on a ball of the trace norm, at three quarters of the solution's."""
    import copt
    from copt.constraint import TraceBall

    zeta = 0.75 * gcg("fit", *c.words("--lambda", str(c.lam)), "--tol", "1e-6")["gauge"]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        r = np.where(c.known, x.reshape(c.y.shape) - c.y, 0)
        return float((r**2).sum() / 2), r.ravel()

    def run(iterations: int) -> Any:
        lmo = TraceBall(zeta, c.y.shape).lmo
        done = copt.minimize_frank_wolfe(
            loss, np.zeros(c.y.size), lmo, jac=True, step="backtracking", lipschitz=1.0, max_iter=iterations, tol=0
        )
        return done.x

    words = c.words("--constrain", f"{zeta:.17g}")
    return Contest("completion in a ball, 400 × 300", words, "js", "copt minimize_frank_wolfe", run, lambda x: loss(x)[0], 2e-2)


def manifold(c: Completion) -> Contest:
    """Trust regions on U B Vᵀ at the rank of the solution, which ours finds one by one."""
    import pymanopt
    from pymanopt.manifolds import Product, Stiefel, SymmetricPositiveDefinite
    from pymanopt.optimizers import TrustRegions

    found = gcg("fit", *c.words("--lambda", str(c.lam)), "--tol", "1e-6")
    (m, n), k = c.y.shape, int(found["rank"])
    space = Product([Stiefel(m, k), SymmetricPositiveDefinite(k), Stiefel(n, k)])

    def residual(u: Any, b: Any, v: Any) -> Any:
        return np.where(c.known, u @ b @ v.T - c.y, 0)

    def symmetric(x: Any) -> Any:
        return (x + x.T) / 2

    @pymanopt.function.numpy(space)
    def cost(u: Any, b: Any, v: Any) -> float:
        return float((residual(u, b, v) ** 2).sum() / 2 + c.lam * np.trace(b))

    @pymanopt.function.numpy(space)
    def gradient(u: Any, b: Any, v: Any) -> Any:
        r = residual(u, b, v)
        return r @ v @ b, symmetric(u.T @ r @ v) + c.lam * np.eye(k), r.T @ u @ b

    @pymanopt.function.numpy(space)
    def hessian(u: Any, b: Any, v: Any, du: Any, db: Any, dv: Any) -> Any:
        r = residual(u, b, v)
        dr = np.where(c.known, du @ b @ v.T + u @ db @ v.T + u @ b @ dv.T, 0)
        return (
            dr @ v @ b + r @ dv @ b + r @ v @ db,
            symmetric(du.T @ r @ v + u.T @ dr @ v + u.T @ r @ dv),
            dr.T @ u @ b + r.T @ du @ b + r.T @ u @ db,
        )

    problem = pymanopt.Problem(space, cost, euclidean_gradient=gradient, euclidean_hessian=hessian)
    u, s, vt = np.linalg.svd(c.y, full_matrices=False)
    start = [u[:, :k], np.diag(s[:k]), vt[:k].T]

    def run(iterations: int) -> Any:
        optimizer = TrustRegions(max_iterations=iterations, max_time=60, min_gradient_norm=0, verbosity=0)
        u, b, v = optimizer.run(problem, initial_point=start).point
        return u @ b @ v.T

    words = c.words("--lambda", str(c.lam))
    return Contest(
        "completion, 400 × 300", words, "mmbs", f"pymanopt TrustRegions, rank {k} given", run, c.objective, 1e-4, 500
    )


def lasso(folder: Path) -> Contest:
    """Pairwise steps on an ℓ1 ball."""
    import copt
    from copt.constraint import L1Ball

    rng = np.random.default_rng(3)
    x = rng.standard_normal((200, 1000))
    w = np.zeros(1000)
    w[:10] = rng.standard_normal(10)
    y = x @ w + 0.1 * rng.standard_normal(200)
    tau = 0.9 * float(np.abs(w).sum())
    files = ["--features", saved(folder, "X.csv", x), "--targets", saved(folder, "y.csv", y[:, None])]
    ball = L1Ball(tau)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        r = x @ w - y
        return float(r @ r / 2), x.T @ r

    def run(iterations: int) -> Any:
        start = np.zeros(1000)
        start[0] = tau
        done = copt.minimize_frank_wolfe(
            loss,
            start,
            ball.lmo_pairwise,
            x0_rep=(1, 0),
            variant="pairwise",
            jac=True,
            step="backtracking",
            lipschitz=float(np.linalg.norm(x, 2) ** 2),
            max_iter=iterations,
            tol=0,
        )
        return done.x

    words = ["regression", *files, "--gauge", "l1", "--standardize=false", "--normalize", "sum", "--constrain", f"{tau:.17g}"]
    return Contest(
        "lasso in a ball, 200 × 1000", words, "pairwise", "copt minimize_frank_wolfe, pairwise", run, lambda w: loss(w)[0], 1e-3
    )


def main() -> None:
    options = arguments()
    options.add_argument("--octave", default="octave-cli")
    options.add_argument("--lrs", default="", help="a checkout of LRSLibrary, for robust components")
    said = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        c = Completion.drawn(folder)
        makers: list[Callable[[], Contest]] = [
            lambda: recovery(folder),
            lambda: accelerated(c, "apg"),
            lambda: accelerated(c, "prox++"),
            lambda: ball(c),
            lambda: manifold(c),
            lambda: lasso(folder),
        ]
        if said.lrs:
            makers.insert(0, lambda: robust(folder, said.octave, said.lrs))
        print("| problem | ours | steps | CPU s | theirs | steps | CPU s | ratio |\n|---|---|---:|---:|---|---:|---:|---:|")
        for make in makers:
            try:
                row = make()
                if said.only in row.problem + row.ours:
                    print(contest(row, said.repeats), flush=True)
            except subprocess.CalledProcessError as error:  # a rival that fails costs its own row
                print(error.stderr, file=sys.stderr)


if __name__ == "__main__":
    main()
