import { type DecisionLedger, fileLedger } from '@fenced/core'
import { UserError } from './user-error.ts'

/** The options `--ask` and `--ledger` of a command. */
export interface LedgerOptions {
  readonly ask: boolean
  /** Directory of the ledger. */
  readonly ledger?: string
}

/** The ledger that records the answers of `--ask`; `undefined` where they are not kept. @throws UserError without `--ask`. */
export function readLedger({ ask, ledger }: LedgerOptions): DecisionLedger | undefined {
  if (ledger === undefined) return undefined
  if (!ask) throw new UserError('--ledger records the answers of --ask. Add --ask, or leave out --ledger.')
  return fileLedger(ledger)
}
