import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FencedError, LimitsInForce } from '@fenced/core'
import { knownOptions } from '@fenced/core/internal'
import type Docker from 'dockerode'
import type { EngineAccess } from '../engine/connect-engine.ts'
import { engineError, withEngineErrors, wordsOf } from '../engine/engine-error.ts'
import { pingThrough, whileAnswering } from '../engine/while-answering.ts'
import {
  type CallOptions,
  type ExecOptions,
  execOptionNames,
  type RemoveOptions,
  removeOptionNames,
} from './call-options.ts'
import { gone, pausedError } from './container-error.ts'
import { limitsInForceOf } from './container-limits.ts'
import { ContainerProcess } from './container-process.ts'
import type { ContainerRequest } from './container-request.ts'
import { diskLimitReached } from './disk-limit-reached.ts'
import type { Labels } from './labels.ts'
import { whyItEnded } from './open-container.ts'
import type { PendingRemovals } from './pending-removals.ts'
import { isConflict, isGone, removeContainer } from './remove-container.ts'
import { StartingExecs } from './starting-execs.ts'

/** A started container's request, and what takes what cannot be removed of it. */
interface ContainerOrigin {
  readonly request: ContainerRequest
  readonly pendingRemovals: PendingRemovals
}

/** Parts of a {@link Container}. */
interface ContainerParts {
  /** The engine that has the container. */
  readonly engine: EngineAccess
  /** ID of the container. */
  readonly id: string
  /** Unknown for a container that was found. */
  readonly origin: ContainerOrigin | undefined
}

/** What the engine says of a container, and of a paused one its name. */
interface ContainerState {
  readonly is: 'running' | 'paused' | 'ended' | 'unknown'
  readonly name?: string
}

/** How long the engine may take to answer what became of something, in milliseconds. */
const askLimitMs = 10_000

/** How long a connection to another machine is trusted that is not used, in milliseconds. */
const remoteRestMs = 60_000

/**
 * A started container on an engine. Its methods reject with the signal's reason or with FencedError: `SANDBOX_GONE` if the
 * container has ended or was removed, and `ENGINE_LOST`, `ENGINE_UNREACHABLE`, `DISK_FULL` or `ENGINE_FAILED` for everything
 * else.
 */
export class Container {
  readonly id: string
  /** Labels from the request that created the container. Empty if unknown. */
  readonly labels: Labels
  /** Location of the container, for messages: `the Docker engine at unix:///run/docker.sock (DOCKER_HOST)`. */
  readonly where: string
  /**
   * Time for which an unused connection into the container stays reliable, in milliseconds. A connection to another machine may
   * be dropped without notice.
   */
  readonly maxRestMs: number
  readonly #engine: EngineAccess
  readonly #container: Docker.Container
  readonly #origin: ContainerOrigin | undefined
  readonly #starting = new StartingExecs()
  /** See {@link Container.hold}. */
  #hold: Duplex | undefined

  /** @internal */
  constructor({ engine, id, origin }: ContainerParts) {
    this.id = id
    this.where = `the Docker engine at ${engine.endpoint.address} (${engine.endpoint.origin})`
    this.maxRestMs = engine.endpoint.isLocal ? Infinity : remoteRestMs
    this.labels = origin?.request.Labels ?? {}
    this.#engine = engine
    this.#container = engine.docker.getContainer(id)
    this.#origin = origin
  }

  /** Starts a command. */
  async exec(command: readonly string[], options: ExecOptions): Promise<ContainerProcess> {
    const known = knownOptions(options, execOptionNames, 'exec()')
    const { user, cwd, env = {}, stdin, signal: abortSignal } = known
    return this.#call('starting a command in a container', known, async () => {
      const exec = await this.#container.exec({
        Cmd: [...command],
        Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
        ...(user === undefined ? {} : { User: user }),
        ...(cwd === undefined ? {} : { WorkingDir: cwd }),
        AttachStdin: stdin,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal,
      })
      const starting = exec.start({ ...(stdin ? { hijack: true } : {}), abortSignal })
      const connection = await this.#starting.add(exec, starting)
      connection.once('close', () => this.#starting.delete(exec))
      return this.#process(stdin ? writable(connection) : connection, stdin, async () => {
        const { Running, ExitCode } = await exec.inspect({ abortSignal: AbortSignal.timeout(askLimitMs) })
        return Running ? null : ExitCode
      })
    })
  }

  /**
   * Ties the container to this process: the container ends when this process does, however that happens, or when the connection to
   * the engine breaks. The container's main process must end when its standard input does (`StdinOnce`).
   */
  async hold(options: CallOptions): Promise<void> {
    const connection = await this.#call('attaching to a container', options, async () => {
      const attachment = { stream: true, stdin: true, stdout: false, stderr: true, hijack: true }
      const { signal: abortSignal } = options
      return writable((await this.#container.attach({ ...attachment, abortSignal })) as Duplex)
    })
    connection.on('error', () => {}).resume()
    ;(connection as Partial<Socket>).unref?.()
    this.#hold = connection
    if (this.maxRestMs === Infinity) return
    const timer = setInterval(() => connection.write('\n'), this.maxRestMs / 3).unref()
    connection.once('close', () => clearInterval(timer))
  }

  /** Extracts a tar archive into a directory. If reading the archive fails, the call rejects with the same error. */
  async put(directory: string, archive: Readable, options: CallOptions): Promise<void> {
    try {
      await this.#call('copying files into a container', options, () =>
        this.#container.putArchive(archive, { path: directory, abortSignal: options.signal }),
      )
    } catch (error) {
      throw diskLimitReached(error, this.#origin?.request)
    }
  }

  /**
   * Returns a file, or a directory with all of its content, as a tar archive.
   *
   * @returns `undefined` if the path does not exist.
   */
  async get(path: string, options: CallOptions): Promise<Readable | undefined> {
    return this.#call('copying files out of a container', options, async () => {
      try {
        return (await this.#container.getArchive({ path, abortSignal: options.signal })) as Readable
      } catch (error) {
        if ((isGone(error) && isPathMissing(error)) || isBelowFile(error)) return undefined
        throw error
      }
    })
  }

  /**
   * Whether a path exists from the engine's point of view, including in mounted directories. Also `false` if the container has
   * ended.
   */
  async has(path: string, options: CallOptions): Promise<boolean> {
    return this.#call('looking for a file in a container', options, async () => {
      try {
        // Docker Engine API, "Get information about files in a container".
        const answer = await this.#container.infoArchive({ path, abortSignal: options.signal })
        answer.resume()
        return true
      } catch (error) {
        // Without a body, the answer does not say what is missing. The next request shows whether the container is gone.
        if (isGone(error)) return false
        throw error
      }
    })
  }

  /** Returns the state of the container: `ended` also if it does not exist, `unknown` if the engine does not report it. */
  async state(): Promise<ContainerState['is']> {
    return (await this.#inspect()).is
  }

  /** Stops all processes where they are. */
  async pause(): Promise<void> {
    await this.#changePause('pausing a container', 'paused', async () => {
      await this.#starting.started()
      await this.#container.pause()
    })
  }

  /** Continues all processes. */
  async resume(): Promise<void> {
    await this.#changePause('resuming a container', 'running', () => this.#container.unpause())
  }

  /** Returns the limits that the engine has set. Limits that its machine cannot enforce are left out. */
  async limits(options: CallOptions): Promise<LimitsInForce> {
    const { HostConfig } = await this.#call('asking for the limits of a container', options, () =>
      this.#container.inspect({ abortSignal: options.signal }),
    )
    return limitsInForceOf(HostConfig)
  }

  /** Returns the error for a container that ended during startup. To read its output, the container is created again. */
  async whyItEnded(options: CallOptions): Promise<FencedError> {
    const origin = this.#origin
    if (origin === undefined) return gone(undefined)
    return withEngineErrors(this.#engine, { doing: 'starting a container', signal: options.signal }, () =>
      whyItEnded(this.#engine.docker, origin.request, options.signal, origin.pendingRemovals),
    )
  }

  /**
   * Stops and removes the container and its anonymous volumes, and waits until it is gone. Succeeds if it is already gone, and
   * retries while the engine cannot remove it. If it fails, it can be called again.
   */
  async remove(options: RemoveOptions = {}): Promise<void> {
    const { limitMs, signal } = knownOptions(options, removeOptionNames, 'remove()')
    const { docker } = this.#engine
    const remove = (silence: AbortSignal) => {
      const either = signal === undefined ? silence : AbortSignal.any([signal, silence])
      return removeContainer(this.#container, { limitMs, signal: either })
    }
    await withEngineErrors(this.#engine, { doing: 'removing the container', signal }, () =>
      whileAnswering(remove, { ask: (asking) => pingThrough(docker, asking) }),
    )
    this.#hold?.destroy()
  }

  /**
   * Removes the container now, or otherwise together with what failed starts left behind. Never fails.
   *
   * @param options - `signal` is the signal of the start. Once it is aborted, the removal continues in the background.
   */
  async discard(options: Partial<CallOptions> = {}): Promise<void> {
    const { signal } = knownOptions(options, { signal: true }, 'discard()')
    const removal = async () => {
      await this.remove({ limitMs: 10_000 })
      return true
    }
    await (this.#origin === undefined
      ? removal().catch(() => {})
      : this.#origin.pendingRemovals.remove(removal, signal))
  }

  #process(
    connection: Duplex | Readable,
    hasStdin: boolean,
    ask: () => Promise<number | null>,
  ): ContainerProcess {
    return new ContainerProcess({
      connection,
      hasStdin,
      poll: async () => (await ask().catch(() => null)) ?? undefined,
      fault: (cause) => engineError(cause, 'reading output', this.#engine.endpoint),
    })
  }

  async #inspect(): Promise<ContainerState> {
    try {
      const { State, Name } = await this.#container.inspect({ abortSignal: AbortSignal.timeout(5_000) })
      if (State.Paused) return { is: 'paused', name: Name.slice(1) }
      return { is: State.Running ? 'running' : 'ended' }
    } catch (error) {
      return { is: isGone(error) ? 'ended' : 'unknown' }
    }
  }

  /** What keeps it from doing anything. Its end is reported a moment later than that of what ran in it. */
  async #reasonUnusable(cause: unknown): Promise<FencedError | undefined> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const { is, name = this.id } = await this.#inspect()
      if (is === 'paused') return pausedError(name, cause)
      if (is !== 'running') return is === 'ended' ? gone(cause) : undefined
      await delay(50)
    }
    return undefined
  }

  /** Another process may have done it before. */
  async #changePause(
    doing: string,
    wanted: 'paused' | 'running',
    act: () => Promise<unknown>,
  ): Promise<void> {
    await withEngineErrors(this.#engine, { doing, signal: undefined }, async () => {
      try {
        await act()
      } catch (error) {
        const { is } = await this.#inspect()
        if (is === 'ended') throw gone(error)
        if (is !== wanted) throw error
      }
    })
  }

  #call<Result>(doing: string, { signal }: CallOptions, act: () => Promise<Result>): Promise<Result> {
    return withEngineErrors(this.#engine, { doing, signal }, async () => {
      try {
        return await act()
      } catch (error) {
        const mayBeHindered = isGone(error) || isConflict(error)
        throw (mayBeHindered && (await this.#reasonUnusable(error))) || error
      }
    })
  }
}

/** Docker-modem also gives the answer of a proxy that knows no upgrades, through which nothing can be sent. */
function writable(connection: Duplex): Duplex {
  if (connection.writable) return connection
  connection.destroy()
  throw new Error(
    'it did not open a connection in both directions (HTTP upgrade), as when a proxy in between does not know them',
  )
}

/** Whether the engine misses the path, and not the container. */
function isPathMissing(error: unknown): boolean {
  return /could not find the file|could not be found|no such file/i.test(wordsOf(error))
}

/** A path below a file does not exist, which Docker reports as an internal error with the message of the system. */
function isBelowFile(error: unknown): boolean {
  return /: not a directory\b/i.test(wordsOf(error))
}
