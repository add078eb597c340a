import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { temporaryEntries } from '@fenced/testing'
// @boundaries-ignore Test helper of several packages; no package exports it.
import { inOwnRealm } from '../testing/own-realm.ts'
import type { Subject } from './executors.ts'

const execute = promisify(execFile)

/** How many of each are left. */
export interface Left {
  readonly processes: number
  readonly containers: number
  readonly directories: number
}

/**
 * A temporary directory and a machine name for a few programs of ours. What they leave behind is known by the directory,
 * and executors of others do not take it away.
 */
export class Realm implements AsyncDisposable {
  readonly #directory: string
  readonly #subject: Subject | undefined

  static async make(subject?: Subject): Promise<Realm> {
    return new Realm(await mkdtemp(join(tmpdir(), 'soak-')), subject)
  }

  private constructor(directory: string, subject: Subject | undefined) {
    this.#directory = directory
    this.#subject = subject
  }

  /** A number of seconds that only programs of this realm sleep. It outlasts what is tried, but not by hours. */
  get seconds(): string {
    return `1800.${Number.parseInt(Buffer.from(basename(this.#directory)).toString('hex').slice(-8), 16)}`
  }

  /** Starts one of `programs/`. */
  start(program: string, options: object): ChildProcessByStdio<null, Readable, null> {
    const file = join(import.meta.dirname, 'programs', program)
    const args = ['--expose-gc', '--conditions=@fenced/source', ...inOwnRealm]
    return spawn(process.execPath, [...args, file, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: this.#directory, FENCED_TEST_REALM: basename(this.#directory) },
    })
  }

  /** Runs one of `programs/` to its end and reads the JSON that it prints; it gets some minutes. */
  async run<Answer>(program: string, options: object, limitMs: number): Promise<Answer> {
    const child = this.start(program, options)
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    const printed = await text(child.stdout)
    clearTimeout(timer)
    if (printed === '')
      throw new Error(`${program} printed nothing: it failed, or took longer than ${limitMs} ms.`)
    return JSON.parse(printed)
  }

  /** What is left, once processes had a few seconds to end. */
  async left(): Promise<Left> {
    let processes = await this.#processes()
    for (let round = 0; round < 50 && processes.length > 0; round++) {
      await sleep(100)
      processes = await this.#processes()
    }
    const containers = await this.#containers()
    const directories = temporaryEntries(this.#directory)
    return { processes: processes.length, containers: containers.length, directories: directories.length }
  }

  /** Ends and removes what is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of await this.#processes()) {
      try {
        process.kill(id, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    const containers = await this.#containers()
    if (containers.length > 0) await execute('docker', ['rm', '--force', ...containers])
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Those that run in the directory, or name it or the seconds. What runs in a container counts as the container. */
  async #processes(): Promise<readonly number[]> {
    const marks = this.#subject?.kind === 'docker' ? [this.#directory] : [this.#directory, this.seconds]
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    const found = await Promise.all(
      ids.map(async (id) => {
        const texts = await Promise.allSettled([
          readlink(`/proc/${id}/cwd`),
          readFile(`/proc/${id}/cmdline`, 'latin1'),
          readFile(`/proc/${id}/environ`, 'latin1'),
        ])
        return texts.some(
          (text) => text.status === 'fulfilled' && marks.some((mark) => text.value.includes(mark)),
        )
      }),
    )
    return ids.filter((_, index) => found[index]).map(Number)
  }

  async #containers(): Promise<readonly string[]> {
    if (this.#subject?.kind !== 'docker') return []
    const { stdout } = await execute('docker', [
      'ps',
      '--all',
      '--no-trunc',
      '--format',
      '{{.ID}} {{.Labels}}',
    ])
    return stdout
      .split('\n')
      .filter((line) => line.includes(this.#directory))
      .map((line) => line.slice(0, line.indexOf(' ')))
  }
}
