import type { CodeExecutor } from '@fenced/core'
import {
  beside,
  type Contender,
  type Measured,
  type Row,
  type TimedElsewhere,
  threeDigits,
  type Versions,
} from './measure.ts'
import { PythonDriver, programOutput } from './processes.ts'

/** A Python on this machine. */
export interface Interpreter {
  readonly python: string
  readonly prefix: string
  readonly version: string
}

/** The Python that runs blocks. */
export async function interpreterOf(executor: CodeExecutor): Promise<Interpreter> {
  const code = `import json, platform, sys
print(json.dumps(dict(python=sys.executable, prefix=sys.prefix, version=platform.python_version())))`
  return JSON.parse(await programOutput(executor, { language: 'python', code }))
}

/** Prints text that depends on this Python. */
function programThatNames({ prefix, version }: Interpreter): Program {
  return {
    code: 'import platform, sys\nprint(sys.prefix, platform.python_version())\n',
    prints: `${prefix} ${version}`,
  }
}

/** A block, and what it prints without the last line's end. */
export interface Program {
  /** Default: Python. */
  readonly language?: string
  readonly code: string
  readonly prints: string
}

export const shortProgram: Program = { code: 'print(1)\n', prints: '1' }

/** Runs the program repeatedly, one run after the other. */
export async function runProgram(executor: CodeExecutor, program: Program, times = 1): Promise<void> {
  const block = { language: program.language ?? 'python', code: program.code }
  for (let time = 0; time < times; time++) verifyBlock('Fenced', program, await executor.execute([block]))
}

/** @throws unless it did what the program does: the time of anything else says nothing. */
function verifyBlock(
  name: string,
  { code, prints }: Program,
  { exitCode, output }: { readonly exitCode: number; readonly output: string },
): void {
  if (exitCode === 0 && output.trim() === prints) return
  throw new Error(
    `${name} was to print ${prints} for\n${code}\nbut ended with exit code ${exitCode}:\n${output}`,
  )
}

/** Pythons that have them. */
export interface PeerPythons {
  readonly autogen?: string | undefined
  readonly ag2?: string | undefined
  /** Has the AutoGen that runs blocks in pods. */
  readonly autogenPods?: string | undefined
}

/** Where their blocks run: as processes of this interpreter, in containers of this image, or in pods of it. */
type Subject =
  | Interpreter
  | { readonly image: string }
  | { readonly image: string; readonly namespace: string }

interface Peer {
  readonly name: string
  readonly version: string
  readonly driver: PythonDriver
}

interface Answer extends TimedElsewhere {
  readonly blocks: readonly { readonly exitCode: number; readonly output: string }[]
}

/** The command line executors of AutoGen and AG2, each of them in a Python process that stays. */
export class Peers implements AsyncDisposable {
  readonly #peers: readonly Peer[]
  readonly #stack = new AsyncDisposableStack()

  /** Starts a number of executors. */
  static async open(pythons: PeerPythons, subject: Subject, executors = 1): Promise<Peers> {
    await using stack = new AsyncDisposableStack()
    const open = async (name: string, python: string | undefined, file: string): Promise<Peer[]> => {
      if (python === undefined) return []
      const driver = stack.use(await PythonDriver.open(python, new URL(file, import.meta.url)))
      const { version } = await driver.ask<{ version: string }>({ ...subject, executors })
      return [{ name, version, driver }]
    }
    const peers = new Peers([
      ...(await open('AutoGen', pythons.autogen, './peers/autogen-executors.py')),
      ...(await open('AG2', pythons.ag2, './peers/ag2-executors.py')),
      ...(await open('AutoGen', pythons.autogenPods, './peers/autogen-pods.py')),
    ])
    if ('python' in subject) await peers.#verifyInterpreter(subject)
    peers.#stack.use(stack.move())
    return peers
  }

  private constructor(peers: readonly Peer[]) {
    this.#peers = peers
  }

  get versions(): Versions {
    return Object.fromEntries(this.#peers.map(({ name, version }) => [name, version]))
  }

  /** Each contender runs the program in all of its executors at once, repeatedly. */
  contenders(program: Program, times = 1): Record<string, Contender> {
    return this.#each((peer) => this.#run(peer, program, { times }))
  }

  /** Each of them making an executor and running the program in it. */
  freshContenders(program: Program): Record<string, Contender> {
    return this.#each((peer) => this.#run(peer, program, { times: 1, fresh: true }))
  }

  #each(contender: (peer: Peer) => Promise<TimedElsewhere>): Record<string, Contender> {
    return Object.fromEntries(this.#peers.map((peer) => [peer.name, () => contender(peer)] as const))
  }

  /** How long the first of them takes for programs that are given together, in milliseconds. */
  async runAll(codes: readonly string[]): Promise<number> {
    const [peer] = this.#peers
    if (peer === undefined) throw new Error('There is none.')
    const { tookMs, blocks } = await peer.driver.ask<Answer>({ codes, times: 1 })
    const failed = blocks.find(({ exitCode }) => exitCode !== 0)
    if (failed !== undefined) throw new Error(`A program of ${peer.name} failed:\n${failed.output}`)
    return tookMs
  }

  async #verifyInterpreter(interpreter: Interpreter): Promise<void> {
    for (const peer of this.#peers) {
      try {
        await this.#run(peer, programThatNames(interpreter), { times: 1 })
      } catch (cause) {
        throw new Error(
          `${peer.name} does not run ${interpreter.python}. AG2 runs what is called python beside it, so --python has to name one of a virtual environment.`,
          { cause },
        )
      }
    }
  }

  async #run(
    { name, driver }: Peer,
    program: Program,
    how: { readonly times: number; readonly fresh?: boolean },
  ): Promise<TimedElsewhere> {
    const { tookMs, blocks } = await driver.ask<Answer>({ code: program.code, ...how })
    for (const block of blocks) verifyBlock(name, program, block)
    return { tookMs }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

export const warmName = 'Fenced'
export const coldName = 'Fenced with `warm: false`'

export interface Task {
  readonly task: string
  /** How many blocks it is. Default 1. */
  readonly blocks?: number
  /** What took turns, by name; the warm executor is among them. */
  readonly times: Readonly<Record<string, Measured>>
  /** What the warm one may take. */
  readonly goalMs?: number
  /** Goals, as a share of the time of each named contender. */
  readonly goals?: Readonly<Record<string, number>>
  readonly versions: Versions
}

/** Rows of several contenders: the warm executor alone if it has a goal, then beside each contender. */
export function taskRows({ task, blocks = 1, times, goalMs, goals = {}, versions }: Task): Row[] {
  const { [warmName]: ours, ...others } = times
  if (ours === undefined) return []
  const { p50, p95 } = ours
  const perSecond = (time: Measured) => threeDigits((blocks * 1000) / time.p50)
  const rows: Row[] = []
  if (goalMs !== undefined) {
    rows.push({
      measured: task,
      unit: 'ms',
      rounds: ours.times.length,
      ours: { p50, p95 },
      goal: `≤ ${goalMs} ms`,
      met: p50 <= goalMs,
      versions,
    })
  }
  for (const [name, reference] of Object.entries(others)) {
    const goal = goals[name]
    const compared = beside({
      measured: `${task} ÷ ${name}`,
      ours,
      reference,
      ...(goal === undefined ? {} : { goal }),
    })
    const note =
      blocks > 1 ? { note: `${perSecond(ours)} blocks per second beside ${perSecond(reference)}` } : {}
    const drawn = { task: { name: task, ours: warmName, reference: name }, versions }
    rows.push(...compared.map((row) => ({ ...row, ...note, ...drawn })))
  }
  return rows
}
