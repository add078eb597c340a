import { finished, pipeline } from 'node:stream'
import { FencedError, type Notice } from '@fenced/core'
import { endOf } from '@fenced/docker-engine'
import { orAfter } from '@fenced/host'
import {
  type Program,
  type ProgramEnd,
  type ProgramIo,
  PythonRunner,
  type ResidentRunner,
  runnerCommand,
  startFailure,
} from '@fenced/python-runner'
import type Docker from 'dockerode'
import { workingDirectoryInside } from '../container/create-options.ts'
import { describeLoss, hasEnded } from '../container/describe-loss.ts'
import type { StartedContainer } from '../container/start-container.ts'
import { type OpenExec, openExec, setKeepsUs } from '../run/open-exec.ts'
import { loss } from '../run/run-command.ts'
import { watchForEnd } from '../run/watch-for-end.ts'
import { StdoutStream } from './stdout-stream.ts'

/** Where a runner is started, and the command of its interpreter there. */
export interface RunnerPlace {
  readonly container: StartedContainer
  readonly python: readonly string[]
}

/** How long it may take to end, in milliseconds. */
const endGraceMs = 3_000

/** Without core files in the working directory. The limit is soft: a hard one is what a block is known by. */
const withoutCoreFiles = ['/bin/sh', '-c', 'ulimit -S -c 0; exec "$@"', 'fenced']

/** A runner in a container, in an exec that stays. It keeps this process going only while it runs a program. */
export class ContainerRunner implements ResidentRunner<RunnerPlace> {
  readonly #container: StartedContainer
  readonly #exec: OpenExec
  readonly #output: StdoutStream
  readonly #runner: PythonRunner
  #restsSince = performance.now()

  /** See `StartRunner`; also throws what the engine answers. */
  static async start(
    { container, python }: RunnerPlace,
    preload: readonly string[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ContainerRunner> {
    const place = {
      container: container.container,
      user: container.user,
      workingDirectory: workingDirectoryInside,
    }
    const exec = await openExec(place, [...withoutCoreFiles, ...runnerCommand(python, preload)], signal)
    const output = new StdoutStream()
    // What ends it shows on `output`.
    pipeline(exec.connection, output, () => {})
    try {
      const runner = await PythonRunner.start({ input: exec.connection, output, signal })
      return new ContainerRunner({ container, exec, output, runner })
    } catch (error) {
      exec.connection.destroy()
      const { lastWords } = output
      throw (
        (await wasCut(error, { exec: exec.exec, lastWords }, place.container)) ??
        startFailure(error, preload, lastWords)
      )
    }
  }

  private constructor(parts: {
    container: StartedContainer
    exec: OpenExec
    output: StdoutStream
    runner: PythonRunner
  }) {
    this.#container = parts.container
    this.#exec = parts.exec
    this.#output = parts.output
    this.#runner = parts.runner
    setKeepsUs(this.#exec, false)
  }

  isUsableIn({ container }: RunnerPlace): boolean {
    const isFresh = performance.now() - this.#restsSince < container.maxRestMs
    return container === this.#container && isFresh && this.#runner.isUsable
  }

  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    const { exec, connection } = this.#exec
    setKeepsUs(this.#exec, true)
    using _watch = watchForEnd({ exec, connection, quietMs: () => this.#output.quietMs })
    try {
      return await this.#runner.run(program, io)
    } finally {
      this.#restsSince = performance.now()
      setKeepsUs(this.#exec, false)
    }
  }

  explainLoss(): Promise<Notice> {
    return describeLoss(this.#container.container)
  }

  async end(): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    finished(this.#output, () => resolve())
    // What one that does not answer any more leaves ends with the container.
    const graceMs = this.#runner.isSilent ? 0 : endGraceMs
    this.#runner.stop()
    await orAfter(ended, graceMs)
    this.#exec.connection.destroy()
  }
}

/** What to throw when not the runner ended by itself, but the container around it, or the way to it. */
async function wasCut(
  error: unknown,
  { exec, lastWords }: { exec: Docker.Exec; lastWords: string },
  container: Docker.Container,
): Promise<Error | undefined> {
  if (!FencedError.isInstance(error) || error.code !== 'RUNNER_DIED') return undefined
  if (await hasEnded(container)) return loss(container)
  const exitCode = await endOf(exec, true)
  // To it, a connection that is gone is the end of its host, or the middle of a program that it was given.
  const hasLostUs = exitCode === undefined || exitCode === 0 || (exitCode === 1 && lastWords === '')
  return hasLostUs ? loss(container) : undefined
}
