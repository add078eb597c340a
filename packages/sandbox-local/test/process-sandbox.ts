import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type {
  Sandbox,
  SandboxCapabilities,
  SandboxFiles,
  SandboxProcess,
  SpawnOptions,
  StartSandboxOptions,
} from '@fenced/core/sandbox'
import { requirement } from '@fenced/core/testing'
import { ProcessFiles } from '@fenced/sandbox'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'

/** The shell and the tools with which a place reaches its files. */
export type Tools = 'system' | 'busybox'

/** A sandbox of which only processes are used: files come out of them. */
export class ProcessSandbox implements Sandbox {
  readonly name: string
  readonly capabilities: SandboxCapabilities
  readonly files: SandboxFiles
  readonly shared = undefined
  /** How many processes the files have started. */
  started = 0
  readonly #local: LocalSandbox
  readonly #directory = mkdtempSync(join(tmpdir(), 'fenced-test-'))

  constructor(tools: Tools, options: LocalSandboxOptions = {}) {
    this.#local = new LocalSandbox({ ...options, directory: this.#directory })
    this.name = this.#local.name
    this.capabilities = { ...this.#local.capabilities, files: 'whole' }
    const spawn: Sandbox['spawn'] = ([program, ...args], spawnOptions) => {
      this.started++
      if (tools === 'system') return this.spawn([program, ...args], spawnOptions)
      const env = { ...spawnOptions?.env, PATH: applets() }
      return this.spawn([join(applets(), 'sh'), ...args], { ...spawnOptions, env })
    }
    this.files = new ProcessFiles({ spawn, directory: this.#directory })
  }

  get directory(): string {
    return this.#directory
  }

  get id(): string | undefined {
    return this.#local.id
  }

  start(options?: StartSandboxOptions): Promise<void> {
    return this.#local.start(options)
  }

  which(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#local.which(names)
  }

  spawn(command: readonly [string, ...string[]], options?: SpawnOptions): Promise<SandboxProcess> {
    return this.#local.spawn(command, options)
  }

  connect(port: number, options?: { readonly signal?: AbortSignal }): Promise<Duplex> {
    return this.#local.connect(port, options)
  }

  async stop(): Promise<void> {
    await this.#local.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

let directory: string | undefined

/** A directory with every applet of BusyBox under its name. */
function applets(): string {
  if (directory !== undefined) return directory
  directory = mkdtempSync(join(tmpdir(), 'fenced-test-busybox-'))
  const made = directory
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  execFileSync('busybox', ['--install', '-s', made])
  return made
}

export const busybox = requirement('busybox', problemOfBusybox())

function problemOfBusybox(): string | undefined {
  try {
    execFileSync('busybox', ['true'])
    return undefined
  } catch (error) {
    return `busybox does not run: ${String(error)}`
  }
}
