import { type CodeExecutor, type RememberedApproval, RememberedApprovals } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { askerOf, byKind, ledgerSchema } from '@fenced/core/internal'
import { z } from '@fenced/core/zod'
import type { LanguageModel } from 'ai'
import {
  executorSchema,
  type ModelAgentOptions,
  modelOptionsShape,
  type NamedExecutor,
} from '../agent/agent-options.ts'
import { type ApprovalFunc, askByFunc } from '../autogen.ts'
import { isFunction } from '../model/model-request.ts'
import type { ModelContextState } from '../model-context/model-context.ts'

/** Options of `CodeExecutorAgent`. `name` and `executor` are required. */
export interface CodeExecutorAgentOptions extends ModelAgentOptions {
  /**
   * Executor that runs the code. An executor object is stopped by its owner. The name of a registered kind, alone or with
   * options, creates an executor that the agent stops.
   */
  readonly executor: CodeExecutor | string | NamedExecutor
  /** Model that writes the code. Without it, the agent only runs the code in the messages that it receives. @default none */
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
  /**
   * The model's instructions; `null` for none.
   *
   * @default how to write programs, and a description of the executor (languages, whether variables persist, network access,
   *   packages)
   */
  readonly systemMessage?: string | null | undefined
  /** The agent's description for other agents. */
  readonly description?: string | undefined
  /** Names of agents whose messages are searched for code if there is no model. @default all agents */
  readonly sources?: readonly string[] | undefined
  /** Languages to run. @default all that the executor supports */
  readonly supportedLanguages?: readonly string[] | undefined
  /**
   * Maximum number of further programs after a failure. Requires a model, which first decides whether to retry, as the JSON
   * `{"reason":"…","retry":true}`.
   *
   * @default 0
   */
  readonly maxRetriesOnError?: number | undefined
  /** Time limit for retries, in milliseconds since the first program. @default no limit */
  readonly retryTimeoutMs?: number | undefined
  /** Token limit for retries, across all models for this answer. @default no limit */
  readonly retryTokenLimit?: number | undefined
  /**
   * What happens if the model repeats a failed program, or if a new program fails in the same way as the previous one.
   * `change-strategy`: the model receives a request for a different approach, and if the same happens again in a row, the retries
   * end. `stop`: the retries end immediately.
   *
   * @default 'change-strategy'
   */
  readonly onRepeatedFailure?: 'change-strategy' | 'stop' | undefined
  /** Whether the model states the outcome at the end. With `false`, the result itself is the answer. @default true */
  readonly reflectOnResult?: boolean | undefined
  /**
   * Maximum length of a result that the model reads, in UTF-16 code units. The beginning and end of a longer result are kept.
   *
   * @default 16_000
   */
  readonly maxResultLength?: number | undefined
  /** As AutoGen's `approval_func`: decides about code, in place of `ask`. Default: `ask`. */
  readonly approvalFunc?: ApprovalFunc | undefined
}

const optionsSchema = z
  .strictObject({
    name: z.string().min(1),
    executor: executorSchema,
    ...modelOptionsShape,
    systemMessage: z.string().nullable().optional(),
    description: z.string().optional(),
    sources: z.array(z.string()).optional(),
    supportedLanguages: z.array(z.string().min(1)).min(1).optional(),
    maxRetriesOnError: z.int().min(0).default(0),
    retryTimeoutMs: z.int().min(1).optional(),
    retryTokenLimit: z.int().min(1).optional(),
    onRepeatedFailure: z.enum(['change-strategy', 'stop']).default('change-strategy'),
    reflectOnResult: z.boolean().default(true),
    maxResultLength: z.int().min(1).default(16_000),
    approvalFunc: z.custom<ApprovalFunc>(isFunction, 'must be a function').optional(),
    ledger: ledgerSchema.optional(),
  })
  .refine(({ model, maxRetriesOnError }) => model !== undefined || maxRetriesOnError === 0, {
    path: ['maxRetriesOnError'],
    error: 'needs a model: only a model can write another program',
  })
  .refine(({ approvalFunc, ask }) => approvalFunc === undefined || !askerOf({ ask }).has('code'), {
    path: ['approvalFunc'],
    error: 'decides about code, and so does `ask`: pass only one of them',
  })
  .refine(({ model, tools }) => model !== undefined || tools === undefined, {
    path: ['tools'],
    error: 'needs a model: only a model can ask for them',
  })

export type CodeExecutorAgentSettings = Omit<z.output<typeof optionsSchema>, 'approvalFunc'>

/** @throws FencedError `INVALID_OPTIONS`. */
export function readOptions(options: CodeExecutorAgentOptions): CodeExecutorAgentSettings {
  const { approvalFunc, ...settings } = parseOptions(optionsSchema, options, 'CodeExecutorAgent')
  if (approvalFunc === undefined) return settings
  return { ...settings, ask: { ...byKind(settings.ask ?? {}), code: askByFunc(approvalFunc) } }
}

/** The memory of a CodeExecutorAgent, as its state keeps it. */
export const agentMemorySchema = z.lazy(() =>
  z.strictObject({
    context: z.custom<ModelContextState>((value) => typeof value === 'object' && value !== null),
    answers: z.custom<readonly RememberedApproval[]>(isRemembered, 'must be remembered approvals'),
  }),
)

export type AgentMemory = z.output<typeof agentMemorySchema>

function isRemembered(answers: unknown): boolean {
  try {
    new RememberedApprovals().load(answers as readonly RememberedApproval[])
    return true
  } catch {
    return false
  }
}
