"""Writes docs/python/*.md, a page for each estimator, from its docstring: python pages.py [--check]."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import gcg
import gcg.plot

FOLDER = Path(__file__).parent.parent / "docs" / "python"
SECTION = re.compile(r"\n([A-Z][A-Za-z ]+)\n-{3,}\n")


def words(text: str) -> str:
    """Inline markup of docstrings as Markdown."""
    text = re.sub(r":\w+:`([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def prose(text: str) -> str:
    """Paragraphs, with formulas on lines of their own."""
    return re.sub(r"\.\. math:: (.+)", lambda m: f"```math\n{m[1]}\n```", words(text.strip()))


def entries(text: str) -> str:
    """Parameters and attributes as a list."""
    lines: list[str] = []
    for line in text.strip("\n").splitlines():
        if not line.strip():
            continue
        if line.startswith(" "):
            lines[-1] += " " + words(line.strip())
            continue
        name, _, kind = line.partition(" : ")
        lines.append(f"- **{name}**" + (f" ({words(kind)})." if kind else "."))
    return "\n".join(lines)


def section(name: str, text: str) -> str:
    if name == "Examples":
        body = "```pycon\n" + text.strip() + "\n```"
    elif name in ("Parameters", "Attributes", "Returns", "Raises", "See Also"):
        body = entries(text)
    else:
        body = prose(text)
    return f"{name}\n\n{body}\n"


def document(thing: object, level: int) -> str:
    """The docstring of a class or function, its sections as headings of this level."""
    parts = SECTION.split("\n" + (inspect.getdoc(thing) or "") + "\n")
    out = prose(parts[0]) + "\n"
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        out += f"\n{'#' * level} " + section(name, text)
    return out


def page(cls: type) -> str:
    out = f"# {cls.__name__}\n\n{document(cls, 2)}"
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if name.startswith("_") or method.__module__.split(".")[0] != "gcg":
            continue
        signature = re.sub(r": [^,()=]*(\[[^]]*\])?[^,()=]*", "", str(inspect.signature(method)).split(" ->")[0])
        out += (
            f"\n## {name}{signature.replace('self, ', '').replace('= ', '=').replace('(self)', '()')}\n\n{document(method, 3)}"
        )
    return out


def pages() -> dict[str, str]:
    classes = [getattr(gcg, name) for name in gcg.__all__]
    made = {f"{cls.__name__}.md": page(cls) for cls in classes}
    drawings = [getattr(gcg.plot, name) for name in gcg.plot.__all__]
    made["plot.md"] = "# gcg.plot\n\n" + (inspect.getdoc(gcg.plot) or "") + "\n"
    for f in drawings:
        made["plot.md"] += f"\n## {f.__name__}\n\n{document(f, 3)}"
    return made


def main() -> int:
    stale = []
    for name, text in pages().items():
        text = re.sub(r"[ \t]+\n", "\n", text).rstrip() + "\n"
        file = FOLDER / name
        if "--check" not in sys.argv:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(name)
    if stale:
        print("run python pages.py:", *stale)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
