import { createHash, randomUUID } from 'node:crypto'
import { FencedError } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { knownOptions, type OptionNames } from '@fenced/core/internal'
import type { ExecutorSandbox, Sandbox } from '@fenced/core/sandbox'
import { z } from '@fenced/core/zod'
import type { CreateSessionOptions, NetworkSession, SandboxProvider } from '../ai-sdk.ts'
import { type SandboxSessionOptions, sandboxSession } from '../session/sandbox-session.ts'
import { networkSession } from './network-session.ts'

interface Opening extends CreateSessionOptions {
  readonly resumes: boolean
}

/** The session that needs a sandbox. */
export interface SandboxRequest {
  readonly sessionId: string
  /** Name for a container or directory: `fenced-` followed by 16 hexadecimal digits, the same for a session in every process. */
  readonly name: string
}

/** Options of {@link sandboxProvider}. */
export interface SandboxProviderOptions {
  /** Creates the sandbox for one session. The provider starts and stops it. */
  readonly create: (request: SandboxRequest) => Sandbox
  /**
   * Ports on which programs in the sandbox listen. The agent's bridge uses the first one.
   *
   * @default [4_000]
   */
  readonly ports?: readonly number[] | undefined
  /**
   * Keeps sandboxes running after this process exits, so that another process can resume their sessions. A sandbox is stopped
   * after this idle time. Requires sandboxes whose `capabilities.resumable` is `true`, with `containerName: name` and a
   * persistent `workDir`.
   *
   * @default sessions are resumed in this process only
   */
  readonly detached?: { readonly expiresInMs: number } | undefined
  /**
   * See {@link SandboxSessionOptions}.
   *
   * @default 16_777_216
   */
  readonly maxOutputBytes?: number | undefined
}

const optionsSchema = z.strictObject({
  create: z.custom<SandboxProviderOptions['create']>(
    (value) => typeof value === 'function',
    'must be a function',
  ),
  ports: z.array(z.int().min(1).max(65_535)).default([4_000]),
  detached: z.strictObject({ expiresInMs: z.int().min(1) }).optional(),
  maxOutputBytes: z.int().min(0).optional(),
})

const createOptionNames: OptionNames<CreateSessionOptions> = {
  sessionId: true,
  abortSignal: true,
  identity: true,
  onFirstCreate: true,
}

/**
 * Returns a provider that gives each `@ai-sdk/harness` session a separate sandbox: a directory on this machine, bubblewrap, or a
 * container without network access. Its ports are published on this machine's loopback interface.
 *
 * @throws FencedError `INVALID_OPTIONS`. Methods reject with the sandbox's errors; `resumeSession` rejects with `SANDBOX_GONE` if
 *   the session has no sandbox.
 * @example
 * ```ts
 * const sandbox = sandboxProvider({ create: () => new DockerSandbox({ image: 'node:24-slim' }) })
 * const agent = new HarnessAgent({ harness, sandbox })
 * ```
 */
export function sandboxProvider(options: SandboxProviderOptions): SandboxProvider {
  const { create, ports, detached, ...rest } = parseOptions(optionsSchema, options, 'sandboxProvider')
  const running = new Map<string, Promise<NetworkSession>>()

  const open = async (
    sessionId: string,
    { resumes, identity, onFirstCreate, abortSignal: signal }: Opening,
  ) => {
    const name = nameOf(sessionId)
    const sandbox = create({ sessionId, name })
    try {
      const prepare = async (sandbox: ExecutorSandbox) =>
        onFirstCreate?.(sandboxSession(sandbox, rest), signal === undefined ? {} : { abortSignal: signal })
      const isKept = identity !== undefined && sandbox.capabilities.preparable === true
      await sandbox.start({
        ...{ signal, detached },
        ...(resumes ? { resume: name } : {}),
        ...(isKept ? { preparation: { identity, prepare } } : {}),
      })
      if (!isKept) await prepare(sandbox)
    } catch (error) {
      // What is to be resumed is not ended because that failed.
      if (!resumes) await sandbox.stop()
      throw error
    }
    const onStop = () => running.delete(sessionId)
    return networkSession(sandbox, { ...rest, id: sessionId, ports, onStop })
  }
  /** One sandbox for a session, however many ask for it at the same time. */
  const keep = (sessionId: string, opening: Promise<NetworkSession>) => {
    running.set(sessionId, opening)
    opening.catch(() => running.delete(sessionId))
    return opening
  }

  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'fenced',
    createSession: async (given = {}) => {
      const names = createOptionNames
      const { sessionId = randomUUID(), ...options } = knownOptions(given, names, 'createSession()')
      if (running.has(sessionId)) throw isRunning(sessionId)
      return keep(sessionId, open(sessionId, { resumes: false, ...options }))
    },
    resumeSession: async (given) => {
      const names = { sessionId: true, abortSignal: true } as const
      const { sessionId, ...options } = knownOptions(given, names, 'resumeSession()')
      const session = running.get(sessionId)
      if (session !== undefined) return session
      if (detached === undefined) throw noneRuns(sessionId)
      return keep(sessionId, open(sessionId, { resumes: true, ...options }))
    },
  }
}

function nameOf(sessionId: string): string {
  return `fenced-${createHash('sha256').update(sessionId).digest('hex').slice(0, 16)}`
}

function isRunning(sessionId: string): FencedError {
  const message = `A sandbox is already running for the session ${sessionId}. Resume the session, or destroy it first.`
  return new FencedError({ code: 'SANDBOX_INVALID_ARGUMENT', message, data: { sessionId } })
}

function noneRuns(sessionId: string): FencedError {
  const message = `No sandbox is running for the session ${sessionId} in this process. With \`detached\`, sandboxes of other processes are found as well.`
  return new FencedError({ code: 'SANDBOX_GONE', message, data: { sessionId } })
}
