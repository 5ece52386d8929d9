#!/usr/bin/env bash
# Builds the wheels of all platforms into python/dist, and prints their sizes. It needs go, and the Python package build.
set -euo pipefail
cd "$(dirname "$0")"
for platform in manylinux2014_x86_64 manylinux2014_aarch64 macosx_11_0_arm64 win_amd64; do
  GCG_WHEEL_PLATFORM=$platform python3 -m build --wheel --outdir dist .
done
limit=26214400
for binary in build/*/gcg*; do
  size=$(wc -c <"$binary")
  echo "$size bytes  $binary"
  [ "$size" -le "$limit" ] || { echo "$binary: has more than $limit bytes"; exit 1; }
done
ls -l dist
