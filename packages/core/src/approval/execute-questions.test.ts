import { expect, it } from 'vitest'
import type { ExecutorCapabilities } from '../code-executor.ts'
import type { AskKind } from './ask.ts'
import type { Asker } from './asker.ts'
import { DecisionLedger } from './decision-ledger.ts'
import { type ExecuteQuestions, executeQuestions, withLedger } from './execute-questions.ts'

const given = {} as never

it('an approver is handed on for kinds that can occur, and for those that the caller named', ({ everyRow }) =>
  everyRow<
    [
      kinds: AskKind[],
      capabilities: Partial<ExecutorCapabilities>,
      named: ExecuteQuestions,
      handedOn: string[],
    ]
  >(
    [
      [['tool', 'network', 'input', 'install'], {}, {}, ['approveTool']],
      [
        ['network', 'input'],
        { networkRequests: true, inputRequests: true },
        {},
        ['approveNetwork', 'answerInput'],
      ],
      [
        ['network', 'input'],
        {},
        { approveNetwork: given, answerInput: given },
        ['approveNetwork', 'answerInput'],
      ],
      [['install'], { installablePackages: given }, {}, ['approveInstall']],
      [[], { networkRequests: true, inputRequests: true }, {}, []],
    ],
    (kinds, capabilities, named, handedOn) => {
      const asker = { has: (kind: AskKind) => kinds.includes(kind) } as unknown as Asker
      const executor = { capabilities: capabilities as ExecutorCapabilities }
      expect(Object.keys(executeQuestions(asker, executor, named))).toEqual(handedOn)
    },
  ))

it('a ledger is added where tools or installations are decided, and one of the options is kept', () => {
  const [ledger, own] = [new DecisionLedger(), new DecisionLedger()]
  expect(withLedger<ExecuteQuestions>({}, ledger).ledger).toBeUndefined()
  expect(withLedger<ExecuteQuestions>({ approveTool: given }, ledger).ledger).toBe(ledger)
  expect(withLedger<ExecuteQuestions>({ approveInstall: given }, ledger).ledger).toBe(ledger)
  expect(withLedger<ExecuteQuestions>({ approveTool: given, ledger: own }, ledger).ledger).toBe(own)
})
