// Starts a server in a container with the network of its argument, says its port, lets a cell stop everything that it can, and waits to be killed.
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'

const server = new DockerJupyterServer({
  baseImage: 'fenced-test/python',
  network: process.argv[2] ?? 'none',
})
const executor = new JupyterCodeExecutor({ server })
await executor.start()
const { port } = await server.connect()
process.stdout.write(`${port}\n`)
const code = `
import os, signal
for name in os.listdir('/proc'):
    if name.isdigit() and int(name) != os.getpid():
        try:
            os.kill(int(name), signal.SIGSTOP)
        except OSError:
            pass
`
void executor.execute([{ language: 'python', code }])
setInterval(() => {}, 1_000)
