import { expect, it } from 'vitest'
import { particularsInForce } from './particulars-in-force.ts'

type Asked = Parameters<typeof particularsInForce>[0]
type InForce = Parameters<typeof particularsInForce>[1]

it('names the limits that were found, and not those that were asked for', ({ everyRow }) =>
  everyRow<[Asked, InForce, object]>(
    [
      [undefined, undefined, {}],
      [{ memoryBytes: 1 }, undefined, { memoryBytes: 1 }],
      [undefined, { memoryBytes: 2, pids: 3 }, { memoryBytes: 2, pids: 3 }],
      [{ memoryBytes: 1, cpus: 1, runtime: 'runc' }, { memoryBytes: 1 }, { memoryBytes: 1, runtime: 'runc' }],
      [{ memoryBytes: false, pids: 5 }, {}, { memoryBytes: false }],
    ],
    (asked, inForce, result) => expect(particularsInForce(asked, inForce)).toEqual(result),
  ))
