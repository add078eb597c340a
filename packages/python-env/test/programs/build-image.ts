// Prints the version of the Python in the image that is built from the Dockerfile that it is given.
import { DockerPythonEnvironment } from '@fenced/python-env/docker'

const [, , build] = process.argv
await using environment = new DockerPythonEnvironment({ build, keepImage: false })
process.stdout.write((await environment.interpreter()).version)
