// Installs a package into a virtual environment, and waits to be killed.
// Not by its door, behind which the Docker engine is loaded as well.
import { VenvPythonEnvironment } from '../../src/venv/venv-python-environment.ts'

const [, , venvPath, package_ = ''] = process.argv
await new VenvPythonEnvironment({ venvPath, installer: 'pip', packages: [package_] }).start()
