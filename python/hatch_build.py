"""Builds the Go binary into the wheel: for this machine, or for the platform tag in GCG_WHEEL_PLATFORM."""

import os
import platform
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGETS = {
    "manylinux2014_x86_64": ("linux", "amd64"),
    "manylinux2014_aarch64": ("linux", "arm64"),
    "macosx_11_0_arm64": ("darwin", "arm64"),
    "win_amd64": ("windows", "amd64"),
}


def this_platform() -> str:
    machine = platform.machine().lower()
    system = platform.system()
    if system == "Linux" and machine in ("x86_64", "amd64"):
        return "manylinux2014_x86_64"
    if system == "Linux" and machine in ("aarch64", "arm64"):
        return "manylinux2014_aarch64"
    if system == "Darwin" and machine == "arm64":
        return "macosx_11_0_arm64"
    if system == "Windows" and machine in ("amd64", "x86_64"):
        return "win_amd64"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        tag = os.environ.get("GCG_WHEEL_PLATFORM") or this_platform()
        environment = {**os.environ, "CGO_ENABLED": "0"}
        if tag in TARGETS:
            environment["GOOS"], environment["GOARCH"] = TARGETS[tag]
        binary = "gcg.exe" if tag.startswith("win") else "gcg"
        module = Path(self.root).parent
        if not (module / "go.mod").exists():
            raise RuntimeError(f"{module} has no go.mod: build the wheel in a checkout of the whole repository")
        if shutil.which("go") is None:
            raise RuntimeError("building gcg needs the Go toolchain (go.dev/doc/install); a wheel needs none")
        if version == "editable":
            output = Path(self.root) / "src" / "gcg" / "_bin" / binary
        else:
            output = Path(self.root) / "build" / tag / binary
        command = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(output), "./cmd/gcg"]
        subprocess.run(command, cwd=module, env=environment, check=True)
        if version != "editable":
            build_data["force_include"][str(output)] = f"gcg/_bin/{binary}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"
