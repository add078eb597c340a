#!/usr/bin/env bash
# Prints the path of a Python that has numpy, pandas and matplotlib, for `pnpm bench warm --python "$(bench/peers/data-python.sh)"`.
# `pnpm bench warm --peers` creates it automatically.
set -euo pipefail

# The first import also makes matplotlib's list of fonts.
exec "$(dirname "$0")/cached-python.sh" data 'import numpy, pandas, matplotlib.pyplot' numpy pandas matplotlib
