import { z } from '../zod.ts'
import type { Ask } from './ask.ts'
import { askShape, isAsk } from './asker.ts'
import { type DecisionLedger, ledgerSchema } from './decision-ledger.ts'
import { isRemembered, type RememberedApprovals } from './remembered-approvals.ts'

/** Options that say who decides, for a call of `execute` or as an executor's default. */
export interface AskOptions {
  /**
   * Asked about the programs before they run, and about everything else that needs a decision during the run: tool calls,
   * connections, lines of input and installations. In the executor's `sandbox`, it is asked about processes and changes to files. A function for all kinds, an object with a method `ask` such as an
   * `ApprovalQueue`, or functions by kind. A kind that a call does not decide about is left to the executor's own `ask`.
   *
   * The question about the programs is the first event, `approval-requested`, and its answer the next one, `approval-answered`.
   * If the events are iterated, `ask` is called once the reader has handled the first event. A denial is a result with the status
   * `denied` and exit code 126, and its output is the reason. If the code was edited, the edited version runs and the output says
   * so first. Questions about code are asked one at a time.
   *
   * Rejects with FencedError `APPROVAL_UNAVAILABLE` if the approver cannot be reached about code, and with `INVALID_APPROVAL` if
   * its answer is not valid. Nothing runs in either case.
   *
   * `ask` is called only for what can happen. With an open network, programs connect without a question (see
   * `capabilities.networkRequests`). Programs without standard input cannot ask for a line (`capabilities.inputRequests`).
   *
   * @default programs run without asking, and each other kind has its own default: tool calls are allowed unless the tool needs
   *   approval, connections outside the allowlist are refused, there is no standard input, and installable packages are installed
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question, in milliseconds. A question that expires is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /**
   * Records each decision about code, tool calls, installations, processes and files, so that an approved action starts at most once. Use
   * `fileLedger(path)` if another process may hold the same question.
   *
   * @default an in-memory ledger of the executor
   */
  readonly ledger?: DecisionLedger | undefined
  /**
   * Remembered answers about code, which you can list, revoke and share between executors.
   *
   * @default a separate set, kept for the executor's lifetime
   */
  readonly remembered?: RememberedApprovals | undefined
  /**
   * Name of the agent that wants to run the code, shown to the approver.
   *
   * @default 'assistant'
   */
  readonly agent?: string | undefined
}

/** {@link AskOptions} in a schema. */
export const askOptionsShape = {
  ask: z.custom<Ask>(isAsk, askShape).optional(),
  askTimeoutMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  ledger: ledgerSchema.optional(),
  remembered: z.custom<RememberedApprovals>(isRemembered, 'must be RememberedApprovals').optional(),
  agent: z.string().min(1).optional(),
}

/** {@link AskOptions} among the names of options. */
export const askOptionNames = {
  ask: true,
  askTimeoutMs: true,
  ledger: true,
  remembered: true,
  agent: true,
} as const satisfies { readonly [Name in keyof AskOptions]-?: true }
