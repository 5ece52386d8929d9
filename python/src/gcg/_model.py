"""The models that the command leaves: files in the safetensors layout."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]

_TYPES = {"F64": "<f8", "F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "u1"}


class Model:
    """The arrays of a fitted model, views of the bytes of its file.

    Parameters
    ----------
    data : bytes
        A file that the command wrote by ``--model``.
    """

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:8], "little")
        if len(data) < 8 or size > len(data) - 8:
            raise ValueError("the model of gcg is cut off")
        header = json.loads(data[8 : 8 + size])
        meta = header.pop("__metadata__", {})
        if meta.get("format") != "gcg":
            raise ValueError("this is no model of gcg")
        self.data = data
        self.problem: str = meta["problem"]
        self.info: dict[str, Any] = json.loads(meta["info"])
        self.meta: dict[str, str] = meta
        self.tensors: dict[str, NDArray[Any]] = {}
        for name, t in header.items():
            lo, hi = t["data_offsets"]
            dtype = np.dtype(_TYPES[t["dtype"]])
            array = np.frombuffer(data, dtype, (hi - lo) // dtype.itemsize, 8 + size + lo)
            self.tensors[name] = array.reshape(t["shape"])

    def get(self, name: str) -> NDArray[Any] | None:
        return self.tensors.get(name)

    @property
    def u(self) -> Floats:
        return self.tensors["u"]

    @property
    def v(self) -> Floats:
        return self.tensors["v"]

    @property
    def s(self) -> Floats:
        return self.tensors["s"]

    def scale(self, side: str) -> Floats:
        """What the factors of a side are multiplied by: 1 without scales."""
        scale = self.get(f"{side}_scale")
        if scale is None:
            return np.ones(len(self.u if side == "row" else self.v))
        return scale

    def offset(self, side: str) -> Floats:
        """What is added for each row or column: 0 without offsets."""
        offset = self.get(f"{side}_offset")
        if offset is None:
            return np.zeros(len(self.u if side == "row" else self.v))
        return offset

    def left(self) -> Floats:
        """The rows' factors with their scales, times the roots of the singular values."""
        return self.u * np.sqrt(self.s) * self.scale("row")[:, None]

    def right(self) -> Floats:
        """The columns' factors with their scales, times the roots of the singular values."""
        return self.v * np.sqrt(self.s) * self.scale("col")[:, None]

    def entries(self) -> sparse.csr_array | None:
        """W where it is sparse, before scales; None where it has factors."""
        values = self.get("entry_values")
        if values is None or len(values) == 0:
            return None
        at = (self.tensors["entry_rows"], self.tensors["entry_cols"])
        return sparse.csr_array((values, at), shape=(len(self.u), len(self.v)))

    def dense(self) -> Floats:
        """W with its scales, without offsets: rows × columns."""
        entries = self.entries()
        w = (self.u * self.s) @ self.v.T if entries is None else entries.toarray()
        return w * self.scale("row")[:, None] * self.scale("col")

    def ids(self, side: str) -> list[str]:
        data = self.tensors[f"{side}_ids"].tobytes()
        ends = self.tensors[f"{side}_ids_ends"].tolist()
        return [data[lo:hi].decode() for lo, hi in zip([0, *ends], ends, strict=False)]
