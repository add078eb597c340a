import type { Approve, Approver, ApproveTool, Ask, CodeExecutor, DecisionLedger } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { ledgerSchema } from '@fenced/core/internal'
import type { ToolPicturesOptions } from '@fenced/core/tool'
import type { LanguageModel, ToolSet } from 'ai'
import { z } from 'zod'
import {
  approveSchema,
  executorSchema,
  modelOptionsShape,
  type NamedExecutor,
} from '../agent/agent-options.ts'
import { hasMethod } from '../model/is-model.ts'
import type { ModelOptions } from '../model/model-request.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { SandboxSession } from '../tool/agent-tool.ts'
import type { PriceTable } from '../usage.ts'

/** Options of `CodeExecutorAgent`. `name` and `codeExecutor` are needed. */
export interface CodeExecutorAgentOptions {
  /** Its name in messages and events. */
  readonly name: string
  /**
   * Where code runs: an executor, which its owner stops; or the name of a registered kind, alone or with its options,
   * and then it is the agent's to stop.
   */
  readonly codeExecutor: CodeExecutor | string | NamedExecutor
  /** Writes the code. Default: none; then only code in the messages that come is run. */
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
  /** Passed on with every request. Default none. */
  readonly modelOptions?: ModelOptions | undefined
  /**
   * Whether its models are given the pictures that code and tools have made: per program 4, and 3 MB, or as the option says;
   * per request the newest 20. Only for models that take pictures. Default `false`: they read the names of the files.
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Whether the answers of its models begin in the middle of reasoning, as with models whose chat template writes the opening
   * `<think>`. The text above the closing tag is reasoning then: no part of the answer, and no program in it is run.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
  /**
   * Tools that its model can ask for, by name, as the AI SDK has them. The agent calls them itself, and asks its model again,
   * before it answers; what the model's provider runs is left to it. Needs a model. Default none.
   */
  readonly tools?: ToolSet | undefined
  /**
   * Called before each tool call except for tools with `needsApproval: false`; one question at a time. Default: all calls are made
   * except those of tools with `needsApproval`, which are denied.
   */
  readonly approveTool?: ApproveTool | undefined
  /**
   * Answers all questions of the agent: one function, one function per kind, or an `ApprovalQueue`. Questions are about code, tool
   * calls, and the needs of running programs (`network`, `input`, `install`). `approve` and `approveTool` are short forms for one
   * kind; use one form per kind.
   *
   * @default the default of each kind
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question of `ask`, `approve` and `approveTool`, in milliseconds. An expired question is denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /** How often in a row its model may ask for its own tools before it has to reply. Default 20. */
  readonly maxToolIterations?: number | undefined
  /** The session of the AI SDK that its tools get with a call, as those of `generateText` do. Default none. */
  readonly sandbox?: SandboxSession | undefined
  /** For the cost of what models use. Default: no cost is reported. */
  readonly prices?: PriceTable | undefined
  /** What the model reads of the conversation. Default: all of it. */
  readonly modelContext?: ModelContext | undefined
  /**
   * The instructions of the model; `null` for none. Default: how to write programs, and what the executor is (languages,
   * whether variables stay, network, packages).
   */
  readonly systemMessage?: string | null | undefined
  /** Its description for other agents. */
  readonly description?: string | undefined
  /** Whose messages are searched for code, where there is no model. Default: everybody's. */
  readonly sources?: readonly string[] | undefined
  /** Languages that are run. Default: all that the executor runs. */
  readonly supportedLanguages?: readonly string[] | undefined
  /**
   * Maximum number of further programs after a failure. Needs a model, which first decides whether to retry, as the JSON `{
   * "reason": "…", "retry": true }`. Default 0.
   */
  readonly maxRetriesOnError?: number | undefined
  /** Time limit for retries, in milliseconds since the first program. Default: no limit. */
  readonly retryTimeLimitMs?: number | undefined
  /** Token limit for retries, over all models of this answer. Default: no limit. */
  readonly retryTokenLimit?: number | undefined
  /**
   * What happens when the model repeats a failed program, or writes a program that fails in the same way as the previous one: it
   * gets a request for a different approach, and the next time in a row the retries end (`change-strategy`); or it ends at once (`stop`). Default
   * `change-strategy`.
   */
  readonly onRepeatedFailure?: 'change-strategy' | 'stop' | undefined
  /** Whether the model states the outcome in the end. Default `true`; with `false` the result itself is the answer. */
  readonly reflectOnResult?: boolean | undefined
  /** How much of a result the model reads, in UTF-16 code units: its beginning and its end. Default 16 000. */
  readonly maxResultLength?: number | undefined
  /** Decides whether code may be run: a function, or an object with such a method. Default: it may. */
  readonly approve?: Approve | Approver | undefined
  /**
   * Records the decisions about code. With `fileLedger(path)`, processes that load the same saved state run a program once.
   *
   * @default a ledger in memory, for this agent alone
   */
  readonly ledger?: DecisionLedger | undefined
}

const optionsSchema = z
  .strictObject({
    name: z.string().min(1),
    codeExecutor: executorSchema,
    ...modelOptionsShape,
    modelContext: z.custom<ModelContext>(hasMethod('messages'), 'must be a ModelContext').optional(),
    systemMessage: z.string().nullable().optional(),
    description: z.string().optional(),
    sources: z.array(z.string()).optional(),
    supportedLanguages: z.array(z.string().min(1)).min(1).optional(),
    maxRetriesOnError: z.int().min(0).default(0),
    retryTimeLimitMs: z.int().min(1).optional(),
    retryTokenLimit: z.int().min(1).optional(),
    onRepeatedFailure: z.enum(['change-strategy', 'stop']).default('change-strategy'),
    reflectOnResult: z.boolean().default(true),
    maxResultLength: z.int().min(1).default(16_000),
    approve: approveSchema.optional(),
    ledger: ledgerSchema.optional(),
  })
  .refine(({ model, maxRetriesOnError }) => model !== undefined || maxRetriesOnError === 0, {
    path: ['maxRetriesOnError'],
    error: 'needs a model: only a model can write another program',
  })
  .refine(({ model, tools }) => model !== undefined || tools === undefined, {
    path: ['tools'],
    error: 'needs a model: only a model can ask for them',
  })

/** The options with every default filled in. */
export type CodeExecutorAgentSettings = z.output<typeof optionsSchema>

/** @throws FencedError `INVALID_OPTIONS`. */
export function readOptions(options: CodeExecutorAgentOptions): CodeExecutorAgentSettings {
  return parseOptions(optionsSchema, options, 'CodeExecutorAgent')
}
