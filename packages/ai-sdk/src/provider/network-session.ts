import { FencedError } from '@fenced/core'
import type { Sandbox } from '@fenced/core/sandbox'
import type { NetworkSession } from '../ai-sdk.ts'
import { type SandboxSessionOptions, sandboxSession } from '../session/sandbox-session.ts'
import { PortListeners } from './port-listeners.ts'

/** What a session of a harness is made of, beside its sandbox. */
export interface NetworkSessionParts extends SandboxSessionOptions {
  readonly id: string
  readonly ports: readonly number[]
  /** Called once, before the sandbox stops. */
  readonly onStop: () => void
}

/** A sandbox that has started, as a harness takes it: a session with ports, and with an end. */
export function networkSession(sandbox: Sandbox, parts: NetworkSessionParts): NetworkSession {
  const { id, onStop, ports, ...options } = parts
  const session = sandboxSession(sandbox, options)
  const listeners = new PortListeners(sandbox)
  let open = [...ports]
  const urlOf = async (inside: number, protocol = 'http') => {
    if (!open.includes(inside)) throw new Error(`Port ${inside} is none of this session: ${open.join(', ')}.`)
    return `${protocol}://127.0.0.1:${await listeners.open(inside)}`
  }
  const stop = async () => {
    onStop()
    listeners[Symbol.dispose]()
    await sandbox.stop()
  }
  return {
    ...session,
    id,
    defaultWorkingDirectory: sandbox.directory,
    get ports() {
      return open
    },
    getPortEndpoint: async ({ port, protocol }) => ({ url: await urlOf(port, protocol) }),
    getPortUrl: ({ port, protocol }) => urlOf(port, protocol),
    setPorts: async (next) => {
      for (const port of open) if (!next.includes(port)) listeners.close(port)
      open = [...next]
    },
    setNetworkPolicy: async ({ mode }) => requireNetwork(sandbox, mode),
    stop,
    destroy: stop,
    restricted: () => session,
  }
}

const modes = { none: 'deny-all', custom: 'custom', open: 'allow-all' } as const

/** A sandbox has its network from its start to its end. Of a list it is not known whether it is the same one. */
function requireNetwork({ capabilities: { network } }: Sandbox, mode: string): void {
  const has = modes[network]
  if (mode === has && mode !== 'custom') return
  throw new FencedError({
    code: 'SANDBOX_INVALID_ARGUMENT',
    message: `The network policy "${mode}" cannot be set: this sandbox was made with "${has}", and keeps that. Let the provider’s \`create\` make a sandbox with this policy as its \`network\`.`,
  })
}
