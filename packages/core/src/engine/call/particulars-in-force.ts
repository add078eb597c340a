import type { IsolationParticulars } from '../../vocabulary/isolation.ts'
import type { LimitsInForce } from '../../vocabulary/limits.ts'

const names: ReadonlySet<string> = new Set<keyof LimitsInForce>(['memoryBytes', 'pids', 'cpus', 'diskBytes'])

/** The particulars of a result: the options, with the limits in force in place of the limits that the options ask for. */
export function particularsInForce(
  asked: IsolationParticulars = {},
  inForce: LimitsInForce | undefined,
): IsolationParticulars {
  if (inForce === undefined) return asked
  const isAsked = ([name, value]: [string, unknown]) => names.has(name) && typeof value === 'number'
  return { ...Object.fromEntries(Object.entries(asked).filter((entry) => !isAsked(entry))), ...inForce }
}
