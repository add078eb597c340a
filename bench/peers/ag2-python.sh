#!/usr/bin/env bash
# Prints the path of a Python that has AG2, for `pnpm bench … --ag2 "$(bench/peers/ag2-python.sh)"`; AG2 and AutoGen cannot
# share one. `pnpm bench … --peers` creates it automatically.
set -euo pipefail

version=0.14.0
exec "$(dirname "$0")/cached-python.sh" "ag2-$version" 'import autogen.environments, docker' "ag2[docker]==$version"
