import { spawn } from 'node:child_process'
import { onExit } from 'signal-exit'
import { parseAddress } from '../engine/address.ts'
import type { Endpoint } from '../engine/endpoint.ts'

const containers = new Map<string, Endpoint>()
let stopListening = () => {}

/**
 * Removes a container when this process exits or dies by a signal that can be caught, unless `removeContainer` has
 * removed it before. After any other end (SIGKILL), and on an engine behind ssh, its own limits end it, or the next start.
 */
export function removeAtExit(containerId: string, endpoint: Endpoint): void {
  // One listener for all. It does not change how the process ends: a handler of the host's own keeps its say.
  if (containers.size === 0) stopListening = onExit(removeAll)
  containers.set(containerId, endpoint)
}

/** The container is gone. */
export function forgetAtExit(containerId: string): void {
  if (containers.delete(containerId) && containers.size === 0) stopListening()
}

/** A process that exits cannot do anything asynchronous, so a separate process sends the requests. */
function removeAll(): void {
  const requests = [...containers].flatMap(([id, endpoint]) => requestFor(id, endpoint) ?? [])
  if (requests.length === 0) return
  const environment = { ...process.env, ELECTRON_RUN_AS_NODE: '1' }
  const args = ['--input-type=commonjs', '--eval', script, JSON.stringify(requests)]
  spawn(process.execPath, args, { detached: true, stdio: 'ignore', env: environment }).unref()
}

const script = `
const { readFileSync } = require('node:fs')
for (const { protocol, tls, ...request } of JSON.parse(process.argv[1])) {
  const options = { ...request, method: 'DELETE', timeout: 30_000 }
  for (const [name, file] of Object.entries(tls)) options[name] = readFileSync(file)
  const sent = require('node:' + protocol).request(options)
  sent.on('timeout', () => sent.destroy()).on('error', () => {}).end()
}`

function requestFor(containerId: string, { address, tls }: Endpoint): object | undefined {
  const parsed = parseAddress(address)
  const path = `/containers/${containerId}?force=true&v=true`
  if (parsed.kind === 'socket') return { protocol: 'http', path, socketPath: parsed.path, tls: {} }
  if (parsed.kind === 'ssh') return undefined
  const { host, port } = parsed
  if (tls === undefined) return { protocol: 'http', path, host, port, tls: {} }
  const files = { ca: tls.caFile, cert: tls.certFile, key: tls.keyFile }
  const given = Object.entries(files).filter(([, file]) => file !== undefined)
  return {
    protocol: 'https',
    path,
    host,
    port,
    rejectUnauthorized: tls.verify,
    tls: Object.fromEntries(given),
  }
}
