import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LocalExecutor, type LocalExecutorOptions } from '../local-executor.ts'
import type { TestProgram } from './program.ts'

/** What a program left to be seen. */
interface Seen {
  readonly status: string
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** By name. */
  readonly files: Readonly<Record<string, string>>
}

/** Runs programs by a new interpreter and by a fork, one after the other in the same directory. */
export class StartsCompared implements AsyncDisposable {
  readonly #directory: string
  readonly #executors: readonly [LocalExecutor, LocalExecutor]

  static async open(options: LocalExecutorOptions): Promise<StartsCompared> {
    return new StartsCompared(await mkdtemp(join(tmpdir(), 'fenced-starts-')), options)
  }

  private constructor(directory: string, options: LocalExecutorOptions) {
    const common: LocalExecutorOptions = {
      ...options,
      workDir: directory,
      // Two interpreters would order sets in two ways.
      env: { PYTHONHASHSEED: '0', ...options.env },
      maxOutputBytes: 8 * 2 ** 20,
    }
    this.#directory = directory
    this.#executors = [
      new LocalExecutor({ ...common, warm: false }),
      new LocalExecutor({ ...common, warm: {} }),
    ]
  }

  async run(program: TestProgram): Promise<{ cold: Seen; warm: Seen }> {
    const [cold, warm] = this.#executors
    return { cold: await this.#see(cold, program), warm: await this.#see(warm, program) }
  }

  async #see(executor: LocalExecutor, { code }: TestProgram): Promise<Seen> {
    // The same name each time: it stands in every traceback.
    const { blocks } = await executor.execute([
      { language: 'python', code: `# filename: program.py\n${code}` },
    ])
    const { status = 'none', exitCode = -1, stdout = '', stderr = '', notices = [] } = blocks[0] ?? {}
    const files = await takeFiles(this.#directory)
    const said = notices.map(({ code, message }) => `${code}: ${message}`).join('\n')
    return {
      status,
      exitCode,
      stdout: withoutChance(stdout),
      stderr: withoutChance(stderr + said),
      files,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const executor of this.#executors) await executor.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }
}

/** The files of a directory, which are removed. */
export async function takeFiles(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const names = await readdir(directory)
  for (const name of names.sort()) {
    const path = join(directory, name)
    // A compressed file and a database hold the time of their making.
    files[withoutChance(name)] = /\.(gz|db|db-shm|db-wal|zip)$/.test(name)
      ? 'there'
      : await readFile(path, 'latin1').catch(() => 'a directory')
    await rm(path, { recursive: true })
  }
  return files
}

/** What differs from one start to the next: addresses, process and thread numbers, times, and names made up at random. */
export function withoutChance(text: string): string {
  return text
    .replace(/(\d+-)?(tmp|wnsm_|psm_)[\w.]+/g, '$2…')
    .replace(/0x[0-9a-fA-F]+/g, '0x…')
    .replace(/\bpid[= ]\d+/g, 'pid …')
    .replace(/started( daemon)? \d+/g, 'started$1 …')
    .replace(/\b(in|time) \d+\.\d+ ?s\b/g, '$1 … s')
    .replace(/\bTask-\d+/g, 'Task-…')
    .replace(/@test_\d+_tmp\w*/g, '@test_…')
}
