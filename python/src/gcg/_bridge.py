"""One process of the command for a fit: arrays go to it in memory, its model comes back through a pipe.

On Linux arrays are files in memory without a name, so that nothing is left whatever ends the process. Elsewhere they are files
in a temporary folder, which is removed after the fit; a later fit removes the folders of processes that were killed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ._model import Model

__all__ = ["File", "Interrupted", "Outcome", "binary", "call", "threads"]

IN_MEMORY = hasattr(os, "memfd_create")
PREFIX = "gcg-python-"
HOW_TO_GET_ONE = (
    "the gcg binary is not there: install a wheel of gcg, or run `pip install ./python` in a checkout with the Go "
    "toolchain, or set GCG_BINARY to a binary made by `go build ./cmd/gcg`"
)


def binary() -> str:
    """The path of the command: that of GCG_BINARY, the package's own, or the one in PATH."""
    named = os.environ.get("GCG_BINARY")
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"GCG_BINARY is {named}, which is no program; {HOW_TO_GET_ONE}")
        return named
    own = Path(__file__).parent / "_bin" / ("gcg.exe" if os.name == "nt" else "gcg")
    if own.exists():
        return str(own)
    found = shutil.which("gcg")
    if found is None:
        raise FileNotFoundError(HOW_TO_GET_ONE)
    return found


def threads(n_jobs: int | None) -> int:
    """The processors to use: at most those of n_jobs, and what joblib and threadpoolctl leave to this process."""
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    allowed = int(_openmp_effective_n_threads())
    if n_jobs is not None:
        return max(1, min(allowed, int(effective_n_jobs(n_jobs))))
    backend = get_active_backend()[0]
    if getattr(backend, "nesting_level", 0) and threading.current_thread() is not threading.main_thread():
        return 1  # a thread of joblib, beside which others fit
    return max(1, allowed)


@dataclass
class Outcome:
    """What a run of the command left: its result as JSON, its model, and the lines that it logged."""

    result: Any
    model: Model | None
    log: list[str] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with what was found until then."""

    def __init__(self, outcome: Outcome | None) -> None:
        super().__init__("interrupted")
        self.outcome = outcome


class _Inputs:
    """The arrays of a run as files that the command can open."""

    def __init__(self) -> None:
        self.handles: list[int] = []
        self.names: dict[str, str] = {}
        self._folder: str | None = None

    def folder(self) -> Path:
        if self._folder is None:
            _sweep()
            self._folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
        return Path(self._folder)

    def add(self, name: str, suffix: str, write: Callable[[BinaryIO], None]) -> str:
        if IN_MEMORY:
            handle = os.memfd_create(name)
            self.handles.append(handle)
            with os.fdopen(os.dup(handle), "wb") as file:
                write(file)
            path = f"/proc/self/fd/{handle}"
        else:
            path = str(self.folder() / f"{len(self.names)}{suffix}")
            with Path(path).open("wb") as file:
                write(file)
        self.names[path] = name
        return path

    def close(self) -> None:
        for handle in self.handles:
            os.close(handle)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def _sweep() -> None:
    """Removes the folders of processes that are no more."""
    for folder in Path(tempfile.gettempdir()).glob(PREFIX + "*-*"):
        with contextlib.suppress(ValueError, OSError):
            owner = int(folder.name[len(PREFIX) :].split("-")[0])
            if not _alive(owner):
                shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    if os.name == "nt":
        return True  # a signal of 0 would end it there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@dataclass(frozen=True)
class File:
    """A flag of the command and the array, arrays by name, text or bytes that it reads, here called name."""

    flag: str
    value: Any
    name: str = ""
    prefix: str = ""
    suffix: str = ""

    def argument(self, inputs: _Inputs) -> list[str]:
        name, value = self.name or self.flag, self.value
        if isinstance(value, np.ndarray):
            path = inputs.add(name, ".npy", lambda file: np.save(file, value))
        elif isinstance(value, Mapping):
            path = inputs.add(name, ".npz", lambda file: np.savez(file, **value))
        else:
            data = value.encode() if isinstance(value, str) else bytes(value)
            path = inputs.add(name, ".txt", lambda file: _write(file, data))
        return [f"--{self.flag}", self.prefix + path + self.suffix]


def _write(file: BinaryIO, data: bytes) -> None:
    file.write(data)


def call(
    arguments: Sequence[str],
    files: Sequence[File],
    *,
    processors: int = 1,
    verbose: bool = False,
    model: bool = True,
) -> Outcome:
    """Runs the command once.

    Raises
    ------
    ValueError
        What the command refuses, in its words.
    FileNotFoundError
        There is no binary.
    Interrupted
        Ctrl-C: it has what was found until then.
    """
    command = [binary(), *arguments]
    inputs = _Inputs()
    try:
        for file in files:
            command += file.argument(inputs)
        command += ["--json", f"--threads={processors}", *(["--verbose"] if verbose else [])]
        return _run(command, inputs, processors, verbose, model)
    finally:
        inputs.close()


def _run(command: list[str], inputs: _Inputs, processors: int, verbose: bool, model: bool) -> Outcome:
    pass_fds = list(inputs.handles)
    readers: dict[str, int] = {}
    writers: list[int] = []
    saved: Path | None = None
    if model and os.name == "posix":
        for flag in ["model", "trace"] if command[1] == "fit" else ["model"]:
            readers[flag], writer = os.pipe()
            writers.append(writer)
            command += [f"--{flag}", f"/dev/fd/{writer}"]
        pass_fds += writers
    elif model:
        saved = inputs.folder() / "model"
        command += ["--model", str(saved)]
    posix: dict[str, Any] = {"pass_fds": pass_fds, "start_new_session": True} if os.name == "posix" else {}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "GOMAXPROCS": str(max(processors, 2))},
            **posix,
        )
    except BaseException:
        for reader in readers.values():
            os.close(reader)
        raise
    finally:
        for writer in writers:
            os.close(writer)
    sinks: dict[str, bytes] = {}
    log: list[str] = []
    workers = [
        threading.Thread(target=_drain, args=(process.stdout, sinks, "out"), daemon=True),
        threading.Thread(target=_follow, args=(process.stderr, log, verbose), daemon=True),
    ]
    for flag, reader in readers.items():
        workers.append(threading.Thread(target=_drain, args=(os.fdopen(reader, "rb"), sinks, flag), daemon=True))
    for worker in workers:
        worker.start()
    interrupted = _wait(process)
    for worker in workers:
        worker.join()
    if saved is not None and saved.exists():
        sinks["model"] = saved.read_bytes()
    outcome = _outcome(process.returncode, sinks, log, inputs.names, interrupted)
    if interrupted:
        raise Interrupted(outcome)
    assert outcome is not None
    return outcome


def _wait(process: subprocess.Popen[bytes]) -> bool:
    """Waits for the process. Ctrl-C goes on to it once, and ends it the second time; so do all other exceptions."""
    interrupted = False
    try:
        while True:
            try:
                process.wait()
                return interrupted
            except KeyboardInterrupt:
                if interrupted or os.name == "nt":
                    process.kill()
                else:
                    process.send_signal(signal.SIGINT)
                interrupted = True
    except BaseException:
        process.kill()
        process.wait()
        raise


def _drain(stream: BinaryIO, sinks: dict[str, bytes], name: str) -> None:
    with stream:
        sinks[name] = stream.read()


def _follow(stream: BinaryIO, log: list[str], verbose: bool) -> None:
    """Keeps what is logged, and shows it as one live line."""
    width = 0
    with io.TextIOWrapper(stream, encoding="utf-8", errors="replace") as lines:
        for raw in lines:
            line = raw.rstrip("\n")
            log.append(line)
            if verbose:
                shown = line[:100]
                sys.stdout.write("\r" + shown.ljust(width))
                sys.stdout.flush()
                width = len(shown)
    if verbose and width:
        sys.stdout.write("\n")
        sys.stdout.flush()


def _outcome(code: int, sinks: dict[str, bytes], log: list[str], names: Mapping[str, str], interrupted: bool) -> Outcome | None:
    text = sinks.get("out", b"")
    if interrupted and not text.strip():
        return None  # before there was anything
    if code != 0 and not interrupted:
        raise _error(code, log, names)
    result = json.loads(text) if text.strip() else None
    data = sinks.get("model", b"")
    trace = [json.loads(line) for line in sinks.get("trace", b"").splitlines()]
    return Outcome(result, Model(data) if data else None, log, trace)


def _parameter(flag: str) -> str:
    """What a flag of the command is called here."""
    names = {
        "lambda": "lam",
        "intercept": "fit_intercept",
        "threads": "n_jobs",
        "for": "purpose",
        "sample-weights": "sample_weight",
    }
    return names.get(flag, flag.replace("-", "_"))


def _error(code: int, log: Sequence[str], names: Mapping[str, str]) -> Exception:
    said = "\n".join(line for line in log if line.startswith("gcg: ")) or (log[-1] if log else "")
    said = said.removeprefix("gcg: ")
    for path, name in sorted(names.items(), key=lambda item: -len(item[0])):
        said = said.replace(path, name)
    said = re.sub(r"--([a-z][a-z0-9-]*)", lambda flag: _parameter(flag[1]), said)
    if code < 0 or code > 3:
        if -code == getattr(signal, "SIGKILL", 9):
            return MemoryError("gcg was killed, perhaps because memory ran out")
        return RuntimeError(f"gcg ended with code {code}: {said}")
    return ValueError(said)
