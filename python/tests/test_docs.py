"""The code of the manual is run, and its pages are those of the docstrings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def test_the_tour_runs():
    pytest.importorskip("pandas")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


def test_the_pages_are_current():
    done = subprocess.run([sys.executable, ROOT / "python" / "pages.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_first_example_runs():
    block = re.search(r"```python\n(.*?)```", (ROOT / "python" / "README.md").read_text(), re.DOTALL)
    assert block is not None
    exec(block[1], {})
