// Makes a virtual environment with an installer (`pip`, `uv`, `auto`) at a path; without a path it is temporary.
// Not by its door, behind which the Docker engine is loaded as well.
import { VenvPythonEnvironment } from '../../src/venv/venv-python-environment.ts'

const [, , installer, venvPath] = process.argv
await using environment = new VenvPythonEnvironment({
  venvPath,
  installer: installer as 'pip' | 'uv' | 'auto',
})
await environment.start()
