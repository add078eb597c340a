#!/usr/bin/env bash
# Prints the path of a Python that has AutoGen, for
# `pnpm bench docker jupyter agents --autogen "$(bench/autogen-python.sh)"`. The first time it is made, from PyPI, in the
# user's cache. PYTHON: an interpreter from 3.10 on; default python3.
set -euo pipefail

version=0.7.5
folder="${XDG_CACHE_HOME:-$HOME/.cache}/fenced/bench/autogen-$version"
python="$folder/bin/python"

modules='autogen_agentchat, autogen_ext.code_executors.docker, autogen_ext.code_executors.jupyter'
if ! "$python" -c "import $modules" 2>/dev/null; then
  rm -rf "$folder"
  "${PYTHON:-python3}" -m venv "$folder"
  "$python" -m pip install --quiet --disable-pip-version-check \
    "autogen-agentchat==$version" "autogen-ext[docker,jupyter-executor]==$version" >&2
fi
echo "$python"
