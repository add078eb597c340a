import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The user of a registry with a login. */
export const registryUser = { username: 'anna', password: 'correct-horse' }

/** The same as a line of `htpasswd -B`. */
const htpasswd = 'anna:$2b$05$aVjXPA1m3khM.IQiQhCKU.7I/haR2AphQMSAfg3cCXbB3PtODCBYm\n'

/** A registry on this machine, which an engine on the same one trusts because of its address. */
export interface Registry extends AsyncDisposable {
  /** `127.0.0.1:PORT`: the first part of its images' names. */
  readonly address: string
}

/** Starts Debian's `docker-registry`, with or without a login. */
export async function startRegistry({ login = false } = {}): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'fenced-registry-'))
  const passwords = join(folder, 'htpasswd')
  await writeFile(passwords, htpasswd)
  const configuration = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: folder } },
    http: { addr: '127.0.0.1:0' },
    ...(login ? { auth: { htpasswd: { realm: 'test', path: passwords } } } : {}),
  }
  const file = join(folder, 'config.yml')
  // JSON is YAML as well.
  await writeFile(file, JSON.stringify(configuration))
  const server = spawn('docker-registry', ['serve', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  return {
    address: await addressOf(server),
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGKILL')
      await once(server, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function addressOf(server: ChildProcess): Promise<string> {
  const said: string[] = []
  for await (const line of createInterface({ input: server.stderr as NodeJS.ReadableStream })) {
    said.push(line)
    const address = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1]
    if (address === undefined) continue
    server.stderr?.resume()
    return address
  }
  throw new Error(`docker-registry did not start: ${said.join('\n')}`)
}

/** A way to a registry that can be made bad. Images are named after it, so that the engine takes this way. */
export interface Way extends AsyncDisposable {
  readonly address: string
  /** How many bytes of an answer get through before it becomes slow, or is cut. */
  limit: { readonly bytes: number; readonly end: 'slow' | 'cut' } | undefined
  /** How many connections of the engine are open. */
  readonly connections: number
  /** How many were cut. */
  cuts: number
}

export async function openWay(registry: Registry): Promise<Way> {
  const port = Number(registry.address.split(':')[1])
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    const upstream = connect(port, '127.0.0.1')
    let passed = 0
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      const { bytes, end } = way.limit ?? { bytes: Number.POSITIVE_INFINITY, end: 'cut' }
      const isBeyond = passed + chunk.length > bytes
      client.write(isBeyond && end === 'cut' ? chunk.subarray(0, bytes - passed) : chunk)
      passed += chunk.length
      if (!isBeyond) return
      upstream.pause()
      if (end === 'slow') setTimeout(() => upstream.resume(), 100)
      else {
        way.cuts++
        client.destroySoon()
      }
    })
    upstream.on('end', () => client.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const way: Way = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    limit: undefined,
    cuts: 0,
    get connections() {
      return clients.size
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return way
}
