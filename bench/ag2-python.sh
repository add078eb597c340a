#!/usr/bin/env bash
# Prints the path of a Python that has AG2, for `pnpm bench python-env agents --ag2 "$(bench/ag2-python.sh)"`. AG2 and
# AutoGen cannot share one. The first time it is made, from PyPI, in the user's cache. PYTHON: an interpreter from 3.10
# on; default python3.
set -euo pipefail

version=0.14.0
folder="${XDG_CACHE_HOME:-$HOME/.cache}/fenced/bench/ag2-$version"
python="$folder/bin/python"

if ! "$python" -c 'import autogen.environments' 2>/dev/null; then
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$python" -m pip install --quiet --disable-pip-version-check "ag2==$version" >&2
fi
echo "$python"
