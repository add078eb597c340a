import { type DecisionLedger, FencedError } from '@fenced/core'

/** @throws FencedError `LEDGER_NOT_SHARED` for a ledger in memory. */
export function checkShared(agent: string, ledgers: readonly DecisionLedger[]): void {
  if (ledgers.every(({ isShared }) => isShared)) return
  throw new FencedError({
    code: 'LEDGER_NOT_SHARED',
    message: `The questions of "${agent}" cannot wait for another process: its decisions are recorded in memory. Give the agent the option \`ledger\`, such as fileLedger(path).`,
    data: { agent, option: 'ledger' },
  })
}
