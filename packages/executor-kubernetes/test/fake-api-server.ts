import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
// @boundaries-ignore Tests check programs against it; no package exports it.
import { SandboxAuthority } from '../../sandbox/src/network/secrets/authority.ts'
import { Cluster } from '../src/api/cluster.ts'

/** What an API server may do that a real one does not on demand. */
interface Faults {
  /** Answers requests. */
  readonly answer?: RequestListener
  /** Serves execs. */
  readonly exec?: (socket: WebSocket) => void
  /** Writes something else than an answer that opens an exec. */
  readonly refuseExec?: (connection: Duplex) => void
  /** Whether it knows the one who asks. Default: everybody. */
  readonly accepts?: (request: IncomingMessage) => boolean
}

/** A cluster whose API server answers as the test says, until the test has finished. */
export async function fakeCluster(faults: Faults): Promise<Cluster> {
  const { port } = await serve(createServer(), faults)
  const kubeconfig = join(testFolder(), 'config')
  writeFileSync(kubeconfig, kubeconfigOf({ server: `http://127.0.0.1:${port}` }, {}))
  return Cluster.find({ kubeconfig })
}

/** For all servers of a test file: its keys take a while. */
let made: Promise<SandboxAuthority> | undefined

/** An API server with TLS, until the test has finished: what a kubeconfig says of it. */
export async function fakeSecureServer(faults: Faults): Promise<ClusterEntry> {
  made ??= SandboxAuthority.create()
  const authority = await made
  const context = authority.contextOf('kubernetes')
  const server = createTlsServer({ SNICallback: (_, done) => done(null, context) })
  const { port } = await serve(server, faults)
  return {
    server: `https://127.0.0.1:${port}`,
    'tls-server-name': 'kubernetes',
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  }
}

/** A cluster in a kubeconfig. */
interface ClusterEntry {
  readonly server: string
  readonly 'tls-server-name'?: string
  readonly 'certificate-authority-data'?: string
}

/** A kubeconfig for a cluster and a user. */
export function kubeconfigOf(cluster: ClusterEntry, user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  })
}

/** A folder that is there until the test has finished. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fenced-fake-api-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

async function serve(
  server: Server,
  { answer = (_, response) => response.end('{}'), exec = () => {}, refuseExec, accepts = () => true }: Faults,
): Promise<AddressInfo> {
  server.on('request', (request, response) => {
    if (accepts(request)) answer(request, response)
    else response.writeHead(401).end('{"message":"Unauthorized"}')
  })
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, connection, head) => {
    connection.on('error', () => {})
    if (!accepts(request)) connection.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n{}')
    else if (refuseExec === undefined) sockets.handleUpgrade(request, connection, head, exec)
    else refuseExec(connection)
  })
  const connections = new Set<Duplex>()
  server.on('connection', (connection) => connections.add(connection))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    for (const connection of connections) connection.destroy()
    server.close()
  })
  return server.address() as AddressInfo
}
