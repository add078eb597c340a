import { randomUUID } from 'node:crypto'
import type { Sandbox } from '@fenced/core/sandbox'
import type { NetworkSession, SandboxProvider } from './ai-sdk.ts'
import { PortListeners } from './port-listeners.ts'
import { sandboxSession } from './sandbox-session.ts'

export interface SandboxProviderOptions {
  /** Makes a sandbox for one session. The provider starts and stops it. */
  readonly create: () => Sandbox
  /** The port on which the agent's bridge listens in the sandbox. */
  readonly port: number
}

/** Gives each session of a harness a sandbox of its own, which a later session of this process finds by its name. */
export function sandboxProvider({ create, port }: SandboxProviderOptions): SandboxProvider {
  const running = new Map<string, NetworkSession>()
  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'fenced',
    createSession: async ({ sessionId = randomUUID(), abortSignal, onFirstCreate } = {}) => {
      const sandbox = create()
      try {
        await sandbox.start({ signal: abortSignal })
        const session = networkSession(sandbox, {
          id: sessionId,
          port,
          onStop: () => running.delete(sessionId),
        })
        await onFirstCreate?.(session.restricted(), abortSignal === undefined ? {} : { abortSignal })
        running.set(sessionId, session)
        return session
      } catch (error) {
        await sandbox.stop()
        throw error
      }
    },
    resumeSession: async ({ sessionId }) => {
      const session = running.get(sessionId)
      if (session === undefined) throw new Error(`No sandbox runs for the session ${sessionId}.`)
      return session
    },
  }
}

interface NetworkSessionParts {
  readonly id: string
  readonly port: number
  readonly onStop: () => void
}

function networkSession(sandbox: Sandbox, { id, port, onStop }: NetworkSessionParts): NetworkSession {
  const session = sandboxSession(sandbox)
  const listeners = new PortListeners(sandbox)
  const urlOf = async (inside: number, protocol = 'http') =>
    `${protocol}://127.0.0.1:${await listeners.open(inside)}`
  const stop = async () => {
    onStop()
    listeners[Symbol.dispose]()
    await sandbox.stop()
  }
  return {
    ...session,
    id,
    defaultWorkingDirectory: sandbox.directory,
    ports: [port],
    getPortEndpoint: async ({ port: inside, protocol }) => ({ url: await urlOf(inside, protocol) }),
    getPortUrl: ({ port: inside, protocol }) => urlOf(inside, protocol),
    stop,
    destroy: stop,
    restricted: () => session,
  }
}
