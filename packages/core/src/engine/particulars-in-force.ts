import type { IsolationParticulars } from '../isolation.ts'
import type { LimitsInForce } from '../limits.ts'

const names: ReadonlySet<string> = new Set<keyof LimitsInForce>(['memoryBytes', 'pids', 'cpus', 'diskBytes'])

/** The particulars of a result: those of the options, with the limits that were found instead of the limits that were asked for. */
export function particularsInForce(
  asked: IsolationParticulars = {},
  inForce: LimitsInForce | undefined,
): IsolationParticulars {
  if (inForce === undefined) return asked
  const isAsked = ([name, value]: [string, unknown]) => names.has(name) && typeof value === 'number'
  return { ...Object.fromEntries(Object.entries(asked).filter((entry) => !isAsked(entry))), ...inForce }
}
