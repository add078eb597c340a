#!/usr/bin/env bash
# cached-python.sh NAME CODE REQUIREMENT... prints the path of a Python in which the code runs. The first time it is
# made, with what is required from PyPI, in the user's cache. PYTHON: an interpreter from 3.10 on; default python3.
set -euo pipefail

name="$1" code="$2"
shift 2
folder="${XDG_CACHE_HOME:-$HOME/.cache}/fenced/bench/$name"
python="$folder/bin/python"

if ! "$python" -I -c "$code" >/dev/null 2>&1; then
  echo "Making $folder ..." >&2
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$python" -m pip install --quiet --disable-pip-version-check "$@" >&2
  "$python" -I -c "$code" >&2
fi
echo "$python"
