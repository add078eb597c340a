import { dirname } from 'node:path'
import {
  type BlockIo,
  type BlockOutcome,
  type Driver,
  exitCodes,
  type HostWorkDirectory,
  type Language,
  type PreparedBlock,
  type StartContext,
} from '@fenced/core'
import {
  choosePython,
  type Environment,
  type Interpreter,
  programEnvironment,
  withPathFirst,
} from '@fenced/host'
import { Interpreters } from './interpreter/interpreters.ts'
import { createSandbox, type Sandbox } from './isolation/bubblewrap.ts'
import { type InstallPackages, LocalPackages } from './local-packages.ts'
import type { LocalSettings } from './options.ts'
import { runProcess } from './process/run-process.ts'

/** What a {@link LocalDriver} is made of. */
export interface LocalDriverParts {
  readonly settings: LocalSettings
  readonly workDirectory: HostWorkDirectory
  readonly installPackages: InstallPackages | undefined
}

/** A process on this machine for every block. */
export class LocalDriver implements Driver {
  readonly workDirectory: HostWorkDirectory
  readonly packages: LocalPackages
  readonly #settings: LocalSettings
  #environment: Environment
  readonly #interpreters: Interpreters
  #sandbox: Sandbox | undefined

  constructor({ settings, workDirectory, installPackages }: LocalDriverParts) {
    this.workDirectory = workDirectory
    this.#settings = settings
    this.#environment = programEnvironment(process.env, settings)
    this.#interpreters = new Interpreters({
      python: settings.python,
      path: this.#environment.PATH ?? this.#environment.Path ?? '',
      host: process.env,
    })
    this.packages = new LocalPackages(this.#interpreters, installPackages)
  }

  async start({ signal }: StartContext): Promise<void> {
    const { isolation, network, python } = this.#settings
    // `pip` and `python` in a shell block are the ones of the chosen Python, without `activate`.
    if (python !== undefined) {
      this.#environment = withPathFirst(
        programEnvironment(process.env, this.#settings),
        dirname(await choosePython(python)),
      )
    }
    if (isolation === 'none') return
    this.#sandbox = await createSandbox({ workDir: this.workDirectory.path, network }, signal)
  }

  async prepare(language: Language): Promise<void> {
    await this.#interpreters.find(language)
  }

  async run({ language, path }: PreparedBlock, io: BlockIo): Promise<BlockOutcome> {
    const interpreter = await this.#interpreters.find(language)
    if ('missing' in interpreter) {
      io.notice({ code: 'no-interpreter', message: interpreter.missing })
      return { status: 'invalid', exitCode: interpreter.exitCode }
    }
    const end = await runProcess(
      {
        command: this.#command(interpreter, path),
        cwd: this.workDirectory.path,
        env: this.#environment,
        killGraceMs: this.#settings.killGraceMs,
      },
      io,
    )
    if ('exitCode' in end) return end
    const { code, message } = end.notStarted
    io.notice({ code: 'not-started', message: `${interpreter.command[0]} could not be started: ${message}` })
    return { status: 'invalid', exitCode: code === 'ENOENT' ? exitCodes.notFound : exitCodes.notExecutable }
  }

  #command({ command, directories }: Interpreter, path: string): readonly [string, ...string[]] {
    return this.#sandbox === undefined
      ? [...command, path]
      : this.#sandbox.wrap([...command, path], directories)
  }
}
