import type { Contender, TimedElsewhere } from '../compare.ts'
import { PythonDriver } from '../python-driver.ts'
import type { Versions } from '../row.ts'
import { type Interpreter, programThatNames } from './interpreter.ts'
import { type Program, verifyBlock } from './program.ts'

/** Pythons that have them. */
export interface PeerPythons {
  readonly autogen: string | undefined
  readonly ag2: string | undefined
}

/** Where their blocks run: as processes of this interpreter, or in containers of this image. */
type Place = Interpreter | { readonly image: string }

interface Peer {
  readonly name: string
  readonly version: string
  readonly driver: PythonDriver
}

interface Answer extends TimedElsewhere {
  readonly blocks: readonly { readonly exitCode: number; readonly output: string }[]
}

/** The command line executors of AutoGen and AG2, each of the two in a Python process that stays. */
export class Peers implements AsyncDisposable {
  readonly #peers: readonly Peer[]
  readonly #stack = new AsyncDisposableStack()

  /** Starts so many executors of those that there are. */
  static async open(pythons: PeerPythons, place: Place, executors = 1): Promise<Peers> {
    await using stack = new AsyncDisposableStack()
    const open = async (name: string, python: string | undefined, file: string): Promise<Peer[]> => {
      if (python === undefined) return []
      const driver = stack.use(await PythonDriver.open(python, new URL(file, import.meta.url)))
      const { version } = await driver.ask<{ version: string }>({ ...place, executors })
      return [{ name, version, driver }]
    }
    const peers = new Peers([
      ...(await open('AutoGen', pythons.autogen, './autogen-executors.py')),
      ...(await open('AG2', pythons.ag2, './ag2-executors.py')),
    ])
    if ('python' in place) await peers.#verifyInterpreter(place)
    peers.#stack.use(stack.move())
    return peers
  }

  private constructor(peers: readonly Peer[]) {
    this.#peers = peers
  }

  get versions(): Versions {
    return Object.fromEntries(this.#peers.map(({ name, version }) => [name, version]))
  }

  /** Each of them running the program in all of its executors at once, so many times one after the other. */
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
