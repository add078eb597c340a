import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bench } from './measure.ts'
import {
  beside,
  compare,
  type Measured,
  type Row,
  rowsIfMeasured,
  scratchDirectory,
  threeDigits,
} from './measure.ts'
import { proportionalSize } from './memory.ts'

/** As a share of a bare start: at least three times as fast. */
export const goal = 0.33

export interface Language {
  readonly extension: string
  /** Node's, as for a block. */
  readonly options: readonly string[]
  /** Prints `1`. */
  readonly code: string
}

export const languages: readonly Language[] = [
  { extension: 'js', options: [], code: 'console.log(1)\n' },
  {
    extension: 'ts',
    options: ['--disable-warning=ExperimentalWarning'],
    code: 'const one: number = 1\nconsole.log(one)\n',
  },
]

export interface NodeProcess {
  readonly pid: number | undefined
  /** Where it was asked for. */
  readonly stdin: Writable | null
  /** Everything that it printed, once it is over. */
  readonly printed: Promise<string>
}

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: 'ignore' | 'pipe'
}

/** Starts the Node that runs us, its streams piped. */
export function startNode(
  args: readonly string[],
  { env = {}, stdin = 'ignore' }: NodeOptions = {},
): NodeProcess {
  const { promise: printed, resolve, reject } = Promise.withResolvers<string>()
  const child = spawn(process.execPath, args, {
    stdio: [stdin, 'pipe', 'pipe'],
    // Nothing of ours, which could change how it starts.
    env: { PATH: process.env.PATH, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  // Missing output shows that it has ended.
  child.stdin?.on('error', () => {})
  child.once('error', reject)
  child.once('close', () => resolve(output))
  return { pid: child.pid, stdin: child.stdin, printed }
}

/** Runs a program that prints `1`. */
export async function runNode(args: readonly string[], options: NodeOptions = {}): Promise<void> {
  verifyPrinted(await startNode(args, options).printed)
}

/** @throws unless it did what the program does: the time of anything else says nothing. */
export function verifyPrinted(printed: string): void {
  if (printed !== '1\n') throw new Error(`A Node was to print 1 and a line's end, but printed:\n${printed}`)
}

/** File of a block, which is usually new, so that no cache contains it. */
export class Programs {
  readonly #directory: string
  readonly #language: Language
  #count = 0

  constructor(directory: string, language: Language) {
    this.#directory = directory
    this.#language = language
  }

  new(): string {
    const { extension, code } = this.#language
    const file = join(this.#directory, `program-${this.#count}.${extension}`)
    writeFileSync(file, `${code}// ${this.#count}\n`)
    this.#count += 1
    return file
  }
}

const preload = fileURLToPath(new URL('./waiting-node.cjs', import.meta.url))

/** A Node process that starts before its program is known. For measurements only: a program could notice the difference. */
export class WaitingNode implements AsyncDisposable {
  readonly #process: NodeProcess

  constructor({ options, extension }: Language) {
    const args = [...options, '--require', preload, `not-there.${extension}`]
    this.#process = startNode(args, { stdin: 'pipe' })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Runs one program, which is its last. */
  async run(program: string): Promise<void> {
    this.#process.stdin?.end(program)
    verifyPrinted(await this.#process.printed)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin?.end()
    await this.#process.printed
  }
}

/** A model writes between two blocks. */
const pauseMs = 200

/** The shortest program, by a Node that starts in one of several ways. */
export async function startsRows(language: Language, rounds: number): Promise<Row[]> {
  const { options, extension } = language
  await using scratch = await scratchDirectory()
  const programs = new Programs(scratch.path, language)
  const snapshot = await buildSnapshot(scratch.path)
  const cache = { env: { NODE_COMPILE_CACHE: join(scratch.path, 'cache') } }
  const knownProgram = programs.new()
  await using stack = new AsyncDisposableStack()
  let waiting = new WaitingNode(language)
  stack.defer(() => waiting[Symbol.asyncDispose]())
  const startNext = async () => {
    waiting = new WaitingNode(language)
  }
  const { bare, ...others } = await compare({
    rounds,
    warmUpRounds: 1,
    pauseMs,
    contenders: {
      bare: () => runNode([...options, programs.new()]),
      'startup snapshot': () => runNode([...options, '--snapshot-blob', snapshot, programs.new()]),
      'compile cache': () => runNode([...options, programs.new()], cache),
      'compile cache, the same program again': () => runNode([...options, knownProgram], cache),
      [`a Node that waits, after ${pauseMs} ms`]: async () => {
        await waiting.run(programs.new())
        return { [Symbol.asyncDispose]: startNext }
      },
    },
  })
  return Object.entries(others).flatMap(([name, ours]) =>
    beside({ measured: `.${extension}: ${name} ÷ bare \`node\``, ours, reference: bare, goal }),
  )
}

/** One in which that is loaded which printing into a pipe needs. */
async function buildSnapshot(directory: string): Promise<string> {
  const entry = join(directory, 'snapshot.cjs')
  const blob = join(directory, 'snapshot.blob')
  await writeFile(entry, `require('node:net')\n`)
  const printed = await startNode(['--snapshot-blob', blob, '--build-snapshot', entry]).printed
  if (printed !== '') throw new Error(`No snapshot was built:\n${printed}`)
  return blob
}

const programsEach = 8

/** Programs one after the other, while a processor is free for the next Node's start, and while none is. */
export async function throughputRows(language: Language, rounds: number): Promise<Row[]> {
  const title = `.${language.extension}: ${programsEach} without a pause`
  const all = availableParallelism()
  return [
    ...(await sequencesRows(`${title}, Nodes started one ahead`, language, 1, rounds)),
    ...(await sequencesRows(`${title} in ${all} sequences at once, one ahead`, language, all, rounds)),
  ]
}

async function sequencesRows(
  title: string,
  language: Language,
  sequences: number,
  rounds: number,
): Promise<Row[]> {
  await using scratch = await scratchDirectory()
  const programs = new Programs(scratch.path, language)
  const atOnce = (run: typeof runPlainly) => () =>
    Promise.all(Array.from({ length: sequences }, () => run(language, programs)))
  const { oneAhead, bare } = await compare({
    rounds,
    warmUpRounds: 1,
    contenders: { oneAhead: atOnce(runOneAhead), bare: atOnce(runPlainly) },
  })
  const perSecond = (time: Measured) => threeDigits((sequences * programsEach * 1000) / time.p50)
  const note = `${perSecond(oneAhead)} programs per second beside ${perSecond(bare)}`
  const rows = beside({ measured: `${title} ÷ bare \`node\``, ours: oneAhead, reference: bare, goal })
  return rows.map((row) => ({ ...row, note }))
}

async function runPlainly({ options }: Language, programs: Programs): Promise<void> {
  for (let run = 0; run < programsEach; run++) await runNode([...options, programs.new()])
}

/** As many Nodes as programs: none is there when it begins, and none is left. */
async function runOneAhead(language: Language, programs: Programs): Promise<void> {
  let next = new WaitingNode(language)
  for (let run = 0; run < programsEach; run++) {
    const ended = next.run(programs.new())
    if (run < programsEach - 1) next = new WaitingNode(language)
    await ended
  }
}

/** Until it waits. */
const settleMs = 500

/** What a Node takes while it waits, with the pages that it shares counted in shares (PSS). */
export async function memoryRow(language: Language): Promise<Row[]> {
  await using waiting = new WaitingNode(language)
  await delay(settleMs)
  return [
    {
      measured: `.${language.extension}: memory of a Node that waits (PSS)`,
      unit: 'MiB',
      rounds: 1,
      ours: { p50: proportionalSize(waiting.pid) },
    },
  ]
}

/** What could make a JavaScript block start sooner, beside a bare start of Node. contributing/javascript-starts.md has the answer. */
export const javascriptBench: Bench = async ({ rounds }) => {
  const rows: Row[] = []
  for (const language of languages) {
    rows.push(...(await startsRows(language, rounds ?? 10)))
    rows.push(...(await throughputRows(language, rounds ?? 5)))
    rows.push(...(await rowsIfMeasured('memory of a waiting Node', () => memoryRow(language))))
  }
  return rows
}
