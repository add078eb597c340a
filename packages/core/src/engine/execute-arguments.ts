import { z } from 'zod'
import type { ApproveInstall } from '../approval/ask-requests.ts'
import { ledgerSchema } from '../approval/decision-ledger.ts'
import type { CodeBlock } from '../code-block.ts'
import type { ApproveTool, HostTool } from '../host-tools/host-tool.ts'
import type { AnswerInput } from '../input/input-request.ts'
import type { ApproveNetwork } from '../network/network-connection.ts'
import { isAbortSignal } from '../options/abort-signal.ts'
import { parseInput, parseOptions } from '../options/parse-options.ts'
import { timeoutMsSchema } from './options.ts'

// A block may carry more than we know: what reads Markdown may note where it found it.
const blocksSchema = z.array(
  z.looseObject({
    language: z.string(),
    code: z.string(),
    info: z.string().optional(),
    closed: z.boolean().optional(),
    almostClosed: z.string().optional(),
    tagAbove: z.string().optional(),
    fileAbove: z.string().optional(),
  }),
)

/** See {@link ExecuteOptions.approveNetwork}. */
export const approveNetworkShape = {
  approveNetwork: z.custom<ApproveNetwork>(isFunction, 'must be a function').optional(),
}

/** See {@link HostToolOptions}. */
export const hostToolOptionsShape = {
  tools: z
    // A record leaves such a key out without a word.
    .custom<Readonly<Record<string, HostTool>>>(
      (value) => !(value instanceof Object && Object.hasOwn(value, '__proto__')),
      'must have no tool with the name `__proto__`',
    )
    .pipe(z.record(z.string(), z.custom<HostTool>(isTool, 'must be a function, or a tool with `execute`')))
    .optional(),
  approveTool: z.custom<ApproveTool>(isFunction, 'must be a function').optional(),
  toolLimits: z
    .strictObject({
      maxCalls: z.int().min(0).default(1_000),
      maxCallsInFlight: z.int().min(1).default(16),
      maxBytes: z
        .int()
        .min(1)
        .max(2 ** 26)
        .default(4 * 2 ** 20),
      callTimeoutMs: timeoutMsSchema.default(60_000),
    })
    .prefault({}),
}

const optionsSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isAbortSignal, 'must be an AbortSignal').optional(),
  timeoutMs: timeoutMsSchema.optional(),
  maxWaitMs: timeoutMsSchema.optional(),
  ...approveNetworkShape,
  ...hostToolOptionsShape,
  answerInput: z.custom<AnswerInput>(isFunction, 'must be a function').optional(),
  approveInstall: z.custom<ApproveInstall>(isFunction, 'must be a function').optional(),
  ledger: ledgerSchema.optional(),
})

/**
 * A copy of the blocks that `execute()` was called with: what the caller does with them later does not change a run.
 *
 * @throws FencedError `INVALID_OPTIONS`.
 */
export function checkBlocks(blocks: unknown): CodeBlock[] {
  return parseInput(
    blocksSchema,
    blocks,
    'execute() takes a list of blocks, { language, code }',
  ) as CodeBlock[]
}

export function checkExecuteOptions(options: unknown): z.output<typeof optionsSchema> {
  return parseOptions(optionsSchema, options, 'execute()')
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isTool(value: unknown): boolean {
  return isFunction(value) || (typeof value === 'object' && value !== null && 'execute' in value)
}
