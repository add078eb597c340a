import type { CodeExecutor } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { ledgerSchema } from '@fenced/core/internal'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import {
  approveSchema,
  executorSchema,
  type ModelAgentOptions,
  modelOptionsShape,
  type NamedExecutor,
} from '../agent/agent-options.ts'
import { hasMethod } from '../model/is-model.ts'
import type { ModelContext } from '../model-context/model-context.ts'

/** Options of `CodeExecutorAgent`. `name` and `codeExecutor` are needed. */
export interface CodeExecutorAgentOptions extends ModelAgentOptions {
  /**
   * Where code runs: an executor, which its owner stops; or the name of a registered kind, alone or with its options,
   * and then it is the agent's to stop.
   */
  readonly codeExecutor: CodeExecutor | string | NamedExecutor
  /** Writes the code. Default: none; the agent then only runs code of its messages. */
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
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
