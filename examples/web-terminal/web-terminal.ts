import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { DockerSandbox } from '@fenced/sandbox-docker'
import { type WebSocket, WebSocketServer } from 'ws'

// Each web socket is a terminal with an interactive Python, all in one container. A binary message holds keys or output, and a text
// message holds a new size: {"columns": 100, "rows": 30}. xterm.js in a page, or any WebSocket client, can be at the other end.

const [image = 'python:3-slim'] = process.argv.slice(2)
const sandbox = new DockerSandbox({ image })
await sandbox.start()

/** Pages of other sites can connect to this machine, too, but do not know the path. */
const path = `/${randomUUID()}`
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path, maxPayload: 2 ** 20 })
server.on('connection', (socket) => {
  socket.on('error', () => socket.terminate())
  // Keys wait until the terminal is there.
  socket.pause()
  attach(socket).catch((error: Error) => socket.close(1011, error.message.slice(0, 100)))
})
await once(server, 'listening')
const address = server.address()
console.log(`ws://127.0.0.1:${typeof address === 'object' ? address?.port : address}${path}`)

async function attach(socket: WebSocket): Promise<void> {
  const python = await sandbox.spawn(['python3', '-i', '-q'], {
    terminal: { columns: 80, rows: 24 },
    // A page that reads slowly holds up its Python.
    output: (_, chunk) => send(socket, Buffer.from(chunk)),
  })
  socket.on('close', () => python.stdin?.destroy())
  socket.on('message', (message: Buffer, isBinary) => {
    if (!isBinary) return resize(message.toString())
    if (python.stdin?.write(message) !== false) return
    socket.pause()
    python.stdin.once('drain', () => socket.resume())
  })
  socket.resume()
  const end = await python.ended
  socket.close(1000, end.kind === 'exited' ? `exit code ${end.exitCode}` : end.kind)

  async function resize(size: string): Promise<void> {
    try {
      await python.resize?.(JSON.parse(size))
    } catch {
      socket.close(1008, 'not a size')
    }
  }
}

function send(socket: WebSocket, output: Buffer): Promise<void> {
  return new Promise((resolve) => socket.send(output, () => resolve()))
}

await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
server.close()
await sandbox.stop()
for (const socket of server.clients) socket.terminate()
