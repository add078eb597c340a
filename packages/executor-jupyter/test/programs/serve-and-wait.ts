// Starts a server in a container, says so, and waits to be killed.
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'

const server = new DockerJupyterServer({ baseImage: 'fenced-test/python' })
const { port } = await server.connect()
process.stdout.write(`${port}\n`)
setInterval(() => {}, 1_000)
