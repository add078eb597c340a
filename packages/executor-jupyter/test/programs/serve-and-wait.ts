// Starts a server in a container, says its port, and waits to be killed. With the argument `unconnected` it has no network.
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'

const server = new DockerJupyterServer({
  baseImage: 'fenced-test/python',
  network: process.argv[2] === 'unconnected' ? 'none' : 'open',
})
const { port } = await server.connect()
process.stdout.write(`${port}\n`)
setInterval(() => {}, 1_000)
