import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { PythonRunner, runnerCommand } from '@fenced/sandbox/driver'
import { takeFiles, withoutChance } from './compare-starts.ts'

/** What a program left to be seen. */
export interface Seen {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** By name. */
  readonly files: Readonly<Record<string, string>>
}

/** Text of the runner, and what stands in its place: a check that is switched off, for example. */
export type Replacement = readonly [text: string, other: string]

export interface EndedRunnerOptions {
  readonly python: string
  /** @default [] */
  readonly preload?: readonly string[]
  /** @default [] */
  readonly replacements?: readonly Replacement[]
}

/** Every end is whole. */
export const wholeEnds: Replacement = ['self.status[0] is None or', 'True or self.status[0] is None or']

/** Lets the end say why it is whole, or that it is not. */
const report: readonly Replacement[] = [
  ['        self.function = None\n', '        self.function, self.write = None, os.write\n'],
  [
    'if self.status[0] is None or self.reason() is not None:',
    'why = "it left by sys.exit" if self.status[0] is None else self.reason()\n            self.write(2, ("\\0%s\\0" % (why or "short")).encode())\n            if why is not None:',
  ],
]
const reported = /\0([^\0]*)\0/

/** Runs programs in the forks of one resident Python, without an executor around it, and learns how they ended. */
export class EndedRunner implements AsyncDisposable {
  readonly #directory: string
  readonly #python: string
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #runner: PythonRunner

  static async start({ python, preload = [], replacements = [] }: EndedRunnerOptions): Promise<EndedRunner> {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-ends-'))
    const [program = '', ...args] = runnerCommand([python], preload)
    const isWhole = replacements.includes(wholeEnds)
    const changes = [...replacements, ...(isWhole ? [] : report)]
    const child = spawn(
      program,
      args.map((each) => withReplacements(each, changes)),
      {
        cwd: directory,
        env: environment,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    )
    const runner = await PythonRunner.start({ input: child.stdin, output: child.stdout })
    return new EndedRunner(directory, python, child, runner)
  }

  private constructor(
    directory: string,
    python: string,
    child: ChildProcessByStdio<Writable, Readable, null>,
    runner: PythonRunner,
  ) {
    this.#directory = directory
    this.#python = python
    this.#child = child
    this.#runner = runner
  }

  /** `end` is `'short'`, or why it was whole. */
  async run(code: string): Promise<{ seen: Seen; end: string }> {
    const path = await this.#write(code)
    const written = { stdout: '', stderr: '' }
    const ended = await this.#runner.run(
      { path, cwd: this.#directory, killGraceMs: 1_000 },
      {
        signal: new AbortController().signal,
        write: (stream, chunk) => {
          written[stream] += Buffer.from(chunk).toString('latin1')
        },
      },
    )
    if (typeof ended === 'string' || !('exitCode' in ended)) throw new Error(JSON.stringify(ended))
    const end = reported.exec(written.stderr)?.[1] ?? 'it was not asked'
    written.stderr = written.stderr.replace(reported, '')
    return { seen: await this.#seen(ended.exitCode, written), end }
  }

  /** The same by a new interpreter. */
  async runPlain(code: string): Promise<Seen> {
    const path = await this.#write(code)
    const { status, signal, stdout, stderr } = spawnSync(this.#python, [path], {
      cwd: this.#directory,
      env: environment,
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    return this.#seen(status ?? 128 + (signal === 'SIGINT' ? 2 : 0), { stdout, stderr })
  }

  async #write(code: string): Promise<string> {
    const path = join(this.#directory, 'program.py')
    await writeFile(path, code)
    return path
  }

  async #seen(exitCode: number, { stdout, stderr }: { stdout: string; stderr: string }): Promise<Seen> {
    await rm(join(this.#directory, 'program.py'))
    const files = await takeFiles(this.#directory)
    const same = (text: string) => withoutChance(text.replaceAll(this.#directory, 'directory'))
    return { exitCode, stdout: same(stdout), stderr: same(stderr), files }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin.end()
    await new Promise((resolve) => this.#child.once('close', resolve))
    await rm(this.#directory, { recursive: true })
  }
}

const environment = { PATH: process.env.PATH, PYTHONHASHSEED: '0' }

/** The runner's source comes through stdin, and is changed on its way to the compiler. */
function withReplacements(argument: string, replacements: readonly Replacement[]): string {
  const calls = replacements.map(
    ([text, other]) => `.replace(${JSON.stringify(text)},${JSON.stringify(other)})`,
  )
  return argument.replace(/\.read\(\d+\)/, (read) => `${read}.decode()${calls.join('')}`)
}
