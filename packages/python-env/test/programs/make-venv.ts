// Makes a virtual environment at the path that it is given; without one it is temporary.
import { VenvPythonEnvironment } from '@fenced/python-env'

const [, , venvPath] = process.argv
await using environment = new VenvPythonEnvironment({ venvPath, installer: 'pip' })
await environment.start()
