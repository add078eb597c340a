import { expect, it } from 'vitest'
import type { ExecutorCapabilities } from '../../code-executor.ts'
import { engineOptions } from '../fake-driver.fixture.ts'
import { withApprovalParticulars } from './approval-particulars.ts'

type Given = NonNullable<Parameters<typeof withApprovalParticulars>[2]>

const particularsOf = (given?: Given, options = {}) =>
  withApprovalParticulars({} as ExecutorCapabilities, engineOptions(options), given).approvalParticulars

it('an approval depends on limits, the environment and the interpreter', ({ everyRow }) =>
  everyRow<[Given | undefined, options: object, particulars: object | undefined]>(
    [
      [undefined, {}, undefined],
      [undefined, { timeoutMs: 5, onOutputLimit: 'kill' }, { timeoutMs: 5, onOutputLimit: 'kill' }],
      [
        { options: { python: '/usr/bin/python3', inheritEnv: true } },
        {},
        { python: '/usr/bin/python3', inheritEnv: true },
      ],
      [{ options: { env: { B: '1', A: '2' } } }, {}, { env: 'A, B', valuesHash: expect.any(String) }],
    ],
    (given, options, particulars) => expect(particularsOf(given, options)).toEqual(particulars),
  ))

it('an approval of one hidden value is not one of another', () => {
  const hashOf = (given: Given) => particularsOf(given)?.valuesHash
  const of = (value: string): Given => ({
    options: { registry: { password: value } },
    secrets: ['registry.password'],
  })
  expect(hashOf(of('one'))).toBe(hashOf(of('one')))
  expect(hashOf(of('one'))).not.toBe(hashOf(of('two')))
  expect(hashOf({ options: { env: { A: '1' } } })).not.toBe(hashOf({ options: { env: { A: '2' } } }))
})

it('a hidden option whose parent is absent adds nothing', () => {
  expect(particularsOf({ options: {}, secrets: ['registry.password'] })).toBeUndefined()
})
