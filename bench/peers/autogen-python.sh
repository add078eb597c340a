#!/usr/bin/env bash
# Prints the path of a Python that has AutoGen, for `pnpm bench … --autogen "$(bench/peers/autogen-python.sh)"`.
# `pnpm bench … --peers` creates it automatically.
set -euo pipefail

version=0.7.5
modules='autogen_agentchat, autogen_ext.code_executors.docker, autogen_ext.code_executors.jupyter'
exec "$(dirname "$0")/cached-python.sh" "autogen-$version" "import $modules" \
  "autogen-agentchat==$version" "autogen-ext[docker,jupyter-executor]==$version"
