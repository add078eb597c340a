import { finished } from 'node:stream'
import { FencedError, type Notice } from '@fenced/core'
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
import type { BackendProcess, SandboxBackend } from '../backend.ts'
import { workingDirectoryInside } from '../backend.ts'
import { describeLoss, hasEnded } from '../container/describe-loss.ts'
import type { StartedContainer } from '../container/started-container.ts'
import { exitCodeOf, openExec } from '../run/open-exec.ts'
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
const withoutCoreFiles = ['/bin/sh', '-c', 'ulimit -S -c 0; exec "$@"', 'fenced'] as const

/** A runner in a container, in an exec that stays. It keeps this process going only while it runs a program. */
export class ContainerRunner implements ResidentRunner<RunnerPlace> {
  readonly #container: StartedContainer
  readonly #process: BackendProcess
  readonly #output: StdoutStream
  readonly #runner: PythonRunner
  #restsSince = performance.now()

  /** See `StartRunner`; also throws what the engine answers. */
  static async start(
    { container, python }: RunnerPlace,
    preload: readonly string[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ContainerRunner> {
    const { backend, user } = container
    const place = { backend, user, workingDirectory: workingDirectoryInside }
    const command = [...withoutCoreFiles, ...runnerCommand(python, preload)] as const
    const { process } = await openExec(place, command, signal)
    const output = new StdoutStream(process)
    try {
      if (process.stdin === undefined) throw new TypeError('A process that was asked for has no stdin.')
      const runner = await PythonRunner.start({ input: process.stdin, output, signal })
      return new ContainerRunner({ container, process, output, runner })
    } catch (error) {
      process.destroy()
      const { lastWords } = output
      throw (await wasCut(error, { process, lastWords }, backend)) ?? startFailure(error, preload, lastWords)
    }
  }

  private constructor(parts: {
    container: StartedContainer
    process: BackendProcess
    output: StdoutStream
    runner: PythonRunner
  }) {
    this.#container = parts.container
    this.#process = parts.process
    this.#output = parts.output
    this.#runner = parts.runner
    this.#process.unref()
  }

  isUsableIn({ container }: RunnerPlace): boolean {
    const isFresh = performance.now() - this.#restsSince < container.backend.maxRestMs
    return container === this.#container && isFresh && this.#runner.isUsable
  }

  async run(program: Program, io: ProgramIo): Promise<ProgramEnd> {
    this.#process.ref()
    using _watch = watchForEnd(this.#process, () => this.#output.quietMs)
    try {
      return await this.#runner.run(program, io)
    } finally {
      this.#restsSince = performance.now()
      this.#process.unref()
    }
  }

  explainLoss(): Promise<Notice> {
    return describeLoss(this.#container.backend)
  }

  async end(): Promise<void> {
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    finished(this.#output, () => resolve())
    // What one that does not answer any more leaves ends with the container.
    const graceMs = this.#runner.isSilent ? 0 : endGraceMs
    this.#runner.stop()
    await orAfter(ended, graceMs)
    this.#process.destroy()
  }
}

/** What to throw when not the runner ended by itself, but the container around it, or the way to it. */
async function wasCut(
  error: unknown,
  { process, lastWords }: { process: BackendProcess; lastWords: string },
  backend: SandboxBackend,
): Promise<Error | undefined> {
  if (!FencedError.isInstance(error) || error.code !== 'RUNNER_DIED') return undefined
  if (await hasEnded(backend)) return loss(backend)
  const exitCode = await exitCodeOf(process, true)
  // To it, a connection that is gone is the end of its host, or the middle of a program that it was given.
  const hasLostUs = exitCode === undefined || exitCode === 0 || (exitCode === 1 && lastWords === '')
  return hasLostUs ? loss(backend) : undefined
}
