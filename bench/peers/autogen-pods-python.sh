#!/usr/bin/env bash
# Prints the path of a Python that has AutoGen 0.2, the last one with an executor for pods, for
# `pnpm bench kubernetes --autogen-pods "$(bench/peers/autogen-pods-python.sh)"`. `pnpm bench … --peers` creates it automatically.
set -euo pipefail

version=0.2.40
exec "$(dirname "$0")/cached-python.sh" "autogen-pods-$version" 'import autogen.coding.kubernetes, kubernetes' \
  "autogen-agentchat[kubernetes]==$version"
