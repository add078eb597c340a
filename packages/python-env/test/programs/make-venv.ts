// Makes a virtual environment at the path that it is given.
import { VenvPythonEnvironment } from '@fenced/python-env'

const [, , path] = process.argv
await new VenvPythonEnvironment({ venvPath: path, installer: 'pip' }).start()
