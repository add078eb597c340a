import { constants } from 'node:os'
import { FencedError } from '@fenced/errors'

/** Signals that stop, continue or inform a process, and end it only if its program decides so. */
const harmless: ReadonlySet<string> = new Set(
  ['CONT', 'STOP', 'TSTP', 'TTIN', 'TTOU', 'WINCH', 'URG', 'CHLD'].map((name) => `SIG${name}`),
)

/** Whether a signal asks a process to end. @throws FencedError `INVALID_OPTIONS` for a name that this platform does not have. */
export function asksToEnd(name: NodeJS.Signals): boolean {
  if (Object.hasOwn(constants.signals, name)) return !harmless.has(name)
  throw new FencedError({
    code: 'INVALID_OPTIONS',
    message: `There is no signal ${JSON.stringify(name)}. Use a name such as SIGINT or SIGUSR1.`,
    data: { signal: String(name) },
  })
}
