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
    return Object.fromEntries(
      this.#peers.map((peer) => [peer.name, () => this.#run(peer, program, times)] as const),
    )
  }

  async #verifyInterpreter(interpreter: Interpreter): Promise<void> {
    for (const peer of this.#peers) {
      try {
        await this.#run(peer, programThatNames(interpreter), 1)
      } catch (cause) {
        throw new Error(
          `${peer.name} does not run ${interpreter.python}. AG2 runs what is called python beside it, so --python has to name one of a virtual environment.`,
          { cause },
        )
      }
    }
  }

  async #run({ name, driver }: Peer, program: Program, times: number): Promise<TimedElsewhere> {
    const { tookMs, blocks } = await driver.ask<Answer>({ code: program.code, times })
    for (const block of blocks) verifyBlock(name, program, block)
    return { tookMs }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}
