import type { CodeApprovalRequest } from '@fenced/core'
import { DecisionLedger, RememberedApprovals } from '@fenced/core'
import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, test } from 'vitest'

describe.skipIf(process.platform !== 'linux')('approvals of code for a session', () => {
  test('hold for one state of one session, and undo changes no decision', async () => {
    const [ledger, remembered] = [new DecisionLedger(), new RememberedApprovals()]
    const asked: CodeApprovalRequest[] = []
    await using executor = new LocalCommandLineCodeExecutor({
      stateful: true,
      ask: {
        code: (request) => {
          asked.push(request)
          return { decision: 'allow', remember: 'code' }
        },
      },
      ledger,
      remembered,
    })
    const run = () => executor.execute([{ language: 'python', code: 'print(len(globals()) > 0)' }])
    // The first question comes before the session, the others are about its states.
    for (let count = 0; count < 3; count++) await run()
    const states = asked.map(({ target: { particulars } }) => particulars.state)
    expect(states).toEqual([undefined, 1, 2])
    expect(new Set(asked.map(({ digest }) => digest)).size).toBe(3)
    const decisions = async () => Promise.all(asked.map(({ id }) => ledger.find(id)))
    const before = await decisions()
    await executor.session?.undo(2)
    expect(await decisions()).toEqual(before)
    // The same code in the same state of the same session: the remembered answer holds.
    await run()
    expect(asked).toHaveLength(3)
    // A later state with the same number of blocks before it is another state.
    await run()
    expect(asked.map(({ target: { particulars } }) => particulars.state)).toEqual([undefined, 1, 2, 4])
  })
})
