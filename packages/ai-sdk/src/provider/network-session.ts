import { FencedError } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import type { Sandbox } from '@fenced/core/sandbox'
import { type ForwardedPort, forwardPort } from '@fenced/sandbox'
import type { NetworkSession } from '../ai-sdk.ts'
import { type SandboxSessionOptions, sandboxSession } from '../session/sandbox-session.ts'

export interface NetworkSessionParts extends SandboxSessionOptions {
  readonly id: string
  readonly ports: readonly number[]
  readonly onStop: () => void
}

/** A sandbox that has started, as a harness takes it: a session with ports, and with an end. */
export function networkSession(sandbox: Sandbox, parts: NetworkSessionParts): NetworkSession {
  const { id, onStop, ports, ...options } = parts
  const session = sandboxSession(sandbox, options)
  const forwarded = new Map<number, Promise<ForwardedPort>>()
  let open = [...ports]
  const urlOf = async (options: Parameters<NetworkSession['getPortUrl']>[0]) => {
    const names = { port: true, protocol: true } as const
    const { port: inside, protocol = 'http' } = knownOptions(options, names, 'getPortUrl()')
    if (!open.includes(inside)) throw unknownPort(inside, open)
    const port = forwarded.get(inside) ?? forwardPort(sandbox, inside)
    forwarded.set(inside, port)
    port.catch(() => forwarded.delete(inside))
    return `${protocol}://127.0.0.1:${(await port).port}`
  }
  const close = async (port: number) => {
    const closing = forwarded.get(port)
    forwarded.delete(port)
    await (await closing)?.close()
  }
  const stop = async () => {
    onStop()
    await Promise.allSettled([...forwarded.keys()].map(close))
    await sandbox.stop()
  }
  return {
    ...session,
    id,
    defaultWorkingDirectory: sandbox.directory,
    get ports() {
      return open
    },
    getPortEndpoint: async (options) => ({ url: await urlOf(options) }),
    getPortUrl: urlOf,
    setPorts: async (next) => {
      const closed = open.filter((port) => !next.includes(port))
      open = [...next]
      await Promise.all(closed.map(close))
    },
    setNetworkPolicy: async ({ mode }) => requireNetwork(sandbox, mode),
    stop,
    destroy: stop,
    restricted: () => session,
  }
}

function unknownPort(port: number, open: readonly number[]): FencedError {
  const ports = open.join(', ')
  return new FencedError({
    code: 'SANDBOX_INVALID_ARGUMENT',
    message: `Port ${port} does not belong to this session: ${ports}.`,
    data: { port: `${port}`, ports },
  })
}

/** Names of the AI SDK for network access. */
const modes = { none: 'deny-all', list: 'custom', open: 'allow-all' } as const

/** A sandbox has its network from its start to its end. Of a list it is not known whether it is the same one. */
function requireNetwork({ capabilities: { network } }: Sandbox, mode: string): void {
  const has = modes[network]
  if (mode === has && network !== 'list') return
  throw new FencedError({
    code: 'SANDBOX_INVALID_ARGUMENT',
    message: `The network policy "${mode}" cannot be set: this sandbox was created with "${has}" and keeps it. Have the provider’s \`create\` return a sandbox with this policy as its \`network\`.`,
    data: { mode, network: has },
  })
}
