import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { Cluster } from '../src/api/cluster.ts'

/** What an API server may do that a real one does not on demand. */
interface Faults {
  /** Answers requests. */
  readonly answer?: RequestListener
  /** Serves execs. */
  readonly exec?: (socket: WebSocket) => void
  /** Writes something else than an answer that opens an exec. */
  readonly refuseExec?: (connection: Duplex) => void
}

/** A cluster whose API server answers as the test says, until the test has finished. */
export async function fakeCluster({
  answer = (_, response) => response.end('{}'),
  exec = () => {},
  refuseExec,
}: Faults): Promise<Cluster> {
  const server = createServer(answer)
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => {})
    if (refuseExec === undefined) sockets.handleUpgrade(request, connection, head, exec)
    else refuseExec(connection)
  })
  const connections = new Set<Duplex>()
  server.on('connection', (connection) => connections.add(connection))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = mkdtempSync(join(tmpdir(), 'fenced-fake-api-'))
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    for (const connection of connections) connection.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(folder, 'config')
  writeFileSync(
    kubeconfig,
    `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'http://127.0.0.1:${port}', insecure-skip-tls-verify: true } }]
users: [{ name: u, user: {} }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c`,
  )
  return Cluster.find({ kubeconfig })
}
