"""Makes a directory that pip and uv can take everything from: a small package, and what belongs into
every environment."""

import ensurepip
import glob
import os
import shutil
import sys
import zipfile

folder = sys.argv[1]
# Into an environment of a Python before 3.12, uv puts the package `wheel` as well.
for name in ["small", "wheel"]:
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(os.path.join(folder, f"{name}-1.0-py3-none-any.whl"), "w") as wheel:
        wheel.writestr(f"{name}.py", "value = 42\n")
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
for bundled in glob.glob(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled", "*.whl")):
    shutil.copy(bundled, folder)
