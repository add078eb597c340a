import { readFileSync } from 'node:fs'
import { request as overHttp } from 'node:http'
import { request as overTls, type RequestOptions } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// A program: asks all engines at the same time, and prints what is wrong with each. It is one, because `requirements.ts`
// must know the answers synchronously. From stdin it reads Targets, to stdout it writes Problems.

/** The engines to ask, by name. */
export type Targets = Readonly<Record<string, Target>>

export interface Target {
  /** As in `DOCKER_HOST`; empty when nobody has said it. */
  readonly host: string
  /** The folder with `ca.pem`, `cert.pem` and `key.pem`, as in `DOCKER_CERT_PATH`. */
  readonly certificates?: string | undefined
  /** A runtime that the engine must have beside its own. */
  readonly runtime?: string
}

/** What is wrong; a name that is not in it is all right. */
export type Problems = Readonly<Record<string, string>>

const images = ['fenced-test/python', 'fenced-test/plain', 'fenced-test/busybox']
const timeoutMs = 10_000

const targets: Targets = JSON.parse(await text(process.stdin))
const answers = await Promise.all(
  Object.entries(targets).map(async ([name, target]) => [name, await problemOf(target)] as const),
)
process.stdout.write(JSON.stringify(Object.fromEntries(answers)))

async function problemOf(target: Target): Promise<string | undefined> {
  if (target.host === '') return 'no address is set for it'
  try {
    return target.host.startsWith('ssh:') ? await problemOfSsh(target) : await problemOfEngine(target)
  } catch (error) {
    return `nothing answers at ${target.host} (${error instanceof Error ? error.message : error})`
  }
}

async function problemOfEngine(target: Target): Promise<string | undefined> {
  for (const image of images) {
    const { status, body } = await get(target, `/images/${image}/json`)
    if (status === 404) return `the engine at ${target.host} has no image ${image}`
    if (status !== 200) return `${target.host} answers ${status}: ${body.trim()}`
  }
  if (target.runtime === undefined) return undefined
  const { body } = await get(target, '/info')
  if (target.runtime in JSON.parse(body).Runtimes) return undefined
  return `the engine at ${target.host} has no runtime ${target.runtime}`
}

/** That somebody speaks ssh there: whether the engine behind it answers is another target. */
async function problemOfSsh({ host }: Target): Promise<string | undefined> {
  const { hostname, port } = new URL(host)
  const socket = connect({ host: hostname, port: Number(port || 22), timeout: timeoutMs })
  socket.on('timeout', () => socket.destroy(new Error('it takes too long')))
  for await (const chunk of socket) {
    return String(chunk).startsWith('SSH-2.0') ? undefined : `${host} does not speak ssh`
  }
  return `${host} does not speak ssh`
}

function get(target: Target, path: string): Promise<{ status: number; body: string }> {
  const [options, request] = connection(target)
  return new Promise((resolve, reject) => {
    const pending = request({ ...options, path, timeout: timeoutMs, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
    })
    pending.on('timeout', () => pending.destroy(new Error('it takes too long')))
    pending.on('error', reject)
    pending.end()
  })
}

function connection({ host, certificates }: Target): [RequestOptions, typeof overTls | typeof overHttp] {
  const socket = /^(?:unix|npipe):\/\/(.+)$/.exec(host)?.[1]
  if (socket !== undefined) return [{ socketPath: socket }, overHttp]
  const { hostname, port } = new URL(host)
  if (certificates === undefined) return [{ hostname, port }, overHttp]
  const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) =>
    readFileSync(join(certificates, name)),
  )
  return [{ hostname, port, ca, cert, key }, overTls]
}
