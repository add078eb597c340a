// An API server for `kubernetes-scale`, on a loopback port, with TLS and the delays of a real one. It supports only the requests that a
// pod needs. Its pods are namespaces of this machine, in which real processes run. Prints the path of its
// kubeconfig, and ends all with its stdin.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { NamespacePod, podRoot } from './namespace-pod.ts'
import { serveExec } from './serve-exec.ts'

/** As seen on a cluster in the same region: an answer, and the opening of an exec over four machines. */
const delaysMs = { answer: 5, exec: 50 }

const folder = mkdtempSync(join(tmpdir(), 'fenced-bench-'))
const root = podRoot(folder)
const pods = new Map<string, NamespacePod>()
const sockets = new WebSocketServer({
  noServer: true,
  perMessageDeflate: false,
  handleProtocols: () => 'v5.channel.k8s.io',
})

const server = createServer(makeCertificate(), (request, response) => void answer(request, response))
server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head))
server.listen(0, '127.0.0.1', () => console.log(writeKubeconfig((server.address() as AddressInfo).port)))
process.stdin.resume().on('end', end)

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const name = nameOf(request)
  const body = request.method === 'POST' ? await json(request) : undefined
  await delay(delaysMs.answer)
  const [status, content] = await handle(request.method, name, body)
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content))
}

async function handle(method = '', name: string | undefined, body: unknown): Promise<[number, object]> {
  if (name === undefined && method === 'GET') return [200, { items: [] }]
  if (name === undefined && method === 'POST') {
    const pod = await NamespacePod.start(root, body)
    pods.set(pod.name, pod)
    return [201, pod.description]
  }
  const pod = pods.get(name ?? '')
  if (pod === undefined) return [404, { kind: 'Status', code: 404, message: 'there is no such pod' }]
  if (method === 'DELETE') {
    pods.delete(pod.name)
    await pod.end()
  }
  return [200, pod.description]
}

async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  await delay(delaysMs.exec)
  const pod = pods.get(nameOf(request) ?? '')
  if (pod === undefined) return void socket.destroy()
  const command = new URL(request.url ?? '', 'https://x').searchParams.getAll('command')
  sockets.handleUpgrade(request, socket, head, (opened) => serveExec(opened, pod.exec(command)))
}

function nameOf({ url = '' }: IncomingMessage): string | undefined {
  return /\/pods\/([^/?]+)/.exec(url)?.[1]
}

function makeCertificate() {
  const file = (name: string) => join(folder, name)
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 2 -subj /CN=bench -addext'.split(' ')
  const files = ['-keyout', file('key.pem'), '-out', file('cert.pem')]
  execFileSync('openssl', [...words, 'subjectAltName=IP:127.0.0.1', ...files], { stdio: 'pipe' })
  return { key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) }
}

function writeKubeconfig(port: number): string {
  const path = join(folder, 'kubeconfig')
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority': join(folder, 'cert.pem') }
  const config = {
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench', namespace: 'bench' } }],
    'current-context': 'bench',
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}

async function end(): Promise<void> {
  await Promise.all([...pods.values()].map((pod) => pod.end()))
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}
