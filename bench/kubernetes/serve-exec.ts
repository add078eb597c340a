import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { WebSocket } from 'ws'

/** How long a message is on its way, in milliseconds, in each direction. */
const wayMs = 1

/** Passes the streams of a process over a websocket, as an API server does (`v5.channel.k8s.io`). */
export function serveExec(socket: WebSocket, child: ChildProcessWithoutNullStreams): void {
  const send = (channel: number, content: Buffer) =>
    setTimeout(() => socket.send(Buffer.concat([Buffer.of(channel), content]), () => {}), wayMs)
  child.stdout.on('data', (chunk: Buffer) => send(1, chunk))
  child.stderr.on('data', (chunk: Buffer) => send(2, chunk))
  child.stdin.on('error', () => {})
  child.once('close', (code) => {
    send(3, Buffer.from(JSON.stringify(statusOf(code))))
    setTimeout(() => socket.close(), wayMs)
  })
  socket.on('message', (data: Buffer) => {
    const [channel] = data
    setTimeout(() => (channel === 0 ? child.stdin.write(data.subarray(1)) : child.stdin.end()), wayMs)
  })
  // The program keeps running without its stdin.
  socket.on('close', () => child.stdin.destroy())
  socket.on('error', () => {})
}

function statusOf(code: number | null): object {
  if (code === 0) return { status: 'Success' }
  const causes = [{ reason: 'ExitCode', message: `${code ?? 137}` }]
  return { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } }
}
