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
import { connectInside, ProcessFiles } from '@fenced/sandbox'
import { LocalSandbox, type LocalSandboxOptions } from '../src/index.ts'

/** The shell and the tools with which a place reaches its files. */
export type Tools = 'system' | 'busybox'

/** What a {@link ProcessSandbox} has. */
export interface ProcessSandboxOptions extends LocalSandboxOptions {
  readonly tools: Tools
  /** The only program that is found to pass connections on. Default: all that are there. */
  readonly relay?: string | undefined
}

/** A sandbox of which only processes are used: files and connections come out of them. */
export class ProcessSandbox implements Sandbox {
  readonly name: string
  readonly capabilities: SandboxCapabilities
  readonly files: SandboxFiles
  readonly shared = undefined
  /** How many processes the files have started. */
  started = 0
  readonly #local: LocalSandbox
  readonly #directory = mkdtempSync(join(tmpdir(), 'fenced-test-'))

  readonly #tools: Tools
  readonly #relay: string | undefined

  constructor({ tools, relay, ...options }: ProcessSandboxOptions) {
    this.#tools = tools
    this.#relay = relay
    this.#local = new LocalSandbox({ ...options, directory: this.#directory })
    this.name = this.#local.name
    this.capabilities = { ...this.#local.capabilities, files: 'whole' }
    this.files = new ProcessFiles({
      spawn: (...args) => this.#spawnWithTools(...args),
      directory: this.#directory,
    })
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
    return connectInside(
      { spawn: (...args) => this.#spawnWithTools(...args), which: (names) => this.#whichRelays(names) },
      port,
      options,
    )
  }

  async stop(): Promise<void> {
    await this.#local.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #spawnWithTools(
    [program, ...args]: readonly [string, ...string[]],
    options?: SpawnOptions,
  ): Promise<SandboxProcess> {
    this.started++
    if (this.#tools === 'system') return this.spawn([program, ...args], options)
    const shell = program === '/bin/sh' ? join(applets(), 'sh') : program
    return this.spawn([shell, ...args], { ...options, env: { ...options?.env, PATH: applets() } })
  }

  async #whichRelays(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const relay = this.#relay
    if (relay === 'nc') return new Map([['nc', join(applets(), 'nc')]])
    return this.which(relay === undefined ? names : names.filter((name) => name === relay))
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
