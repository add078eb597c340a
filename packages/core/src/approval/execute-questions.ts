import type { CodeExecutor, ExecuteOptions } from '../code-executor.ts'
import type { AskKind, AskKinds } from './ask.ts'
import type { Asker } from './asker.ts'
import type { DecisionLedger } from './decision-ledger.ts'

/** The questions of `execute`, as its options. */
export type ExecuteQuestions = Pick<
  ExecuteOptions,
  'approveTool' | 'approveNetwork' | 'answerInput' | 'approveInstall' | 'ledger'
>

/**
 * Hands an approver to `execute`, for the kinds that it decides about and that can occur in the executor.
 *
 * @param given - short forms that the caller named. These are handed on also where their kind cannot occur: `execute` refuses them,
 * because the caller relies on them.
 */
export function executeQuestions(
  asker: Asker,
  { capabilities }: Pick<CodeExecutor, 'capabilities'>,
  given: ExecuteQuestions = {},
): ExecuteQuestions {
  const { networkRequests, inputRequests, installablePackages } = capabilities
  const isAsked = (kind: AskKind, canOccur: boolean) => asker.has(kind) && canOccur
  return {
    ...(isAsked('tool', true) && { approveTool: askedAbout<'tool'>(asker, toolDefault) }),
    ...(isAsked('network', networkRequests === true || given.approveNetwork !== undefined) && {
      approveNetwork: askedAbout<'network'>(asker, networkDefault),
    }),
    ...(isAsked('input', inputRequests === true || given.answerInput !== undefined) && {
      answerInput: askedAbout<'input'>(asker, inputDefault),
    }),
    ...(isAsked('install', installablePackages !== undefined) && {
      approveInstall: askedAbout<'install'>(asker, installDefault),
    }),
  }
}

/** Adds the ledger that records calls of tools and installations, where an approver decides about them. A ledger of the options is kept. */
export function withLedger<Options extends ExecuteQuestions>(
  options: Options,
  ledger: DecisionLedger,
): Options {
  const { approveTool, approveInstall } = options
  const isAsked = approveTool !== undefined || approveInstall !== undefined
  return isAsked ? { ...options, ledger: options.ledger ?? ledger } : options
}

function askedAbout<Kind extends AskKind>(
  asker: Asker,
  defaultOf: (request: AskKinds[Kind]['request']) => AskKinds[Kind]['answer'],
): (
  request: AskKinds[Kind]['request'],
  options: { readonly signal: AbortSignal },
) => Promise<AskKinds[Kind]['answer']> {
  return async (request, options) => (await asker.ask<Kind>(request, options)) ?? defaultOf(request)
}

const toolDefault = ({ needsApproval }: AskKinds['tool']['request']): AskKinds['tool']['answer'] =>
  needsApproval === true
    ? { decision: 'deny', reason: 'it needs an approval, and the approver gave no answer' }
    : { decision: 'allow' }

const networkDefault = ({ host, port }: AskKinds['network']['request']): AskKinds['network']['answer'] => ({
  decision: 'deny',
  reason: `${host}, port ${port}, is not in the network list of this sandbox`,
})

const inputDefault = (): AskKinds['input']['answer'] => ({
  decision: 'deny',
  reason: 'Programs have no standard input here.',
})

/** Only packages among `installablePackages` are asked about. */
const installDefault = (): AskKinds['install']['answer'] => ({ decision: 'allow' })
