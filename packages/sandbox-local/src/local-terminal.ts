import { checkSpawn } from '@fenced/core/internal'
import type { Sandbox, TerminalSize } from '@fenced/core/sandbox'
import { spawnInTerminal } from '@fenced/sandbox/driver'
import type { LocalProcess, LocalSpawnOptions } from './local-process.ts'

type Command = readonly [string, ...string[]]

/** The sandbox of a terminal. */
interface LocalTerminalPlace extends Pick<Sandbox, 'which'> {
  start(command: Command, options: LocalSpawnOptions): Promise<LocalProcess>
  /** The default of the option. */
  readonly killGraceMs: number
}

/** Starts a process in a terminal. */
export async function startInTerminal(
  command: Command,
  given: LocalSpawnOptions & { readonly terminal: TerminalSize },
  { start, killGraceMs, which }: LocalTerminalPlace,
): Promise<LocalProcess> {
  const options = { killGraceMs, ...checkSpawn(command, given, { writable: true }) }
  const started: LocalProcess[] = []
  const process = await spawnInTerminal(command, options, {
    which,
    async spawn(words, more) {
      const inner = await start(words, more)
      started.push(inner)
      return inner
    },
  })
  const watchDescendants = () => {
    const watches = started.map((inner) => inner.watchDescendants())
    return { kill: () => watches.forEach((watch) => void watch.kill()) }
  }
  return Object.assign(process, { watchDescendants })
}
