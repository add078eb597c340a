import type { Approve, Approver, CodeExecutor } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import type { ToolPicturesOptions } from '@fenced/core/tool'
import type { LanguageModel } from 'ai'
import { z } from 'zod'
import {
  executorSchema,
  hasMethod,
  isFunction,
  modelOptionsShape,
  type NamedExecutor,
} from '../agent/option-schemas.ts'
import type { ModelOptions } from '../model/model-options.ts'
import type { PriceTable } from '../model/usage.ts'
import type { ModelContext } from '../model-context/model-context.ts'

/** Options of `CodeExecutorAgent`. `name` and `codeExecutor` are needed. */
export interface CodeExecutorAgentOptions {
  /** Its name in messages and events. */
  readonly name: string
  /**
   * The place: an executor, which stays its owner's to stop; or the name of a registered kind, alone or with its options,
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
   * How often a program that failed is tried again with another one. Needs a model, which is asked for a decision before:
   * the JSON `{ "reason": "…", "retry": true }`. Default 0.
   */
  readonly maxRetriesOnError?: number | undefined
  /** No further try is begun when so many milliseconds have passed since the first. Default: no limit. */
  readonly retryTimeLimitMs?: number | undefined
  /** No further try is begun when models have used so many tokens for this answer. Default: no limit. */
  readonly retryTokenLimit?: number | undefined
  /**
   * What happens when the same program, or one that fails in the same way, comes twice in a row: the model is asked for
   * another approach, and the third time it ends (`change-strategy`); or it ends at once (`stop`). Default
   * `change-strategy`.
   */
  readonly onRepeatedFailure?: 'change-strategy' | 'stop' | undefined
  /** Whether the model states the outcome in the end. Default `true`; with `false` the result itself is the answer. */
  readonly reflectOnResult?: boolean | undefined
  /** How much of a result the model reads, in UTF-16 code units: its beginning and its end. Default 16 000. */
  readonly maxResultLength?: number | undefined
  /** Decides whether code may be run: a function, or an object with such a method. Default: it may. */
  readonly approve?: Approve | Approver | undefined
}

const isApprove = (value: unknown) => isFunction(value) || hasMethod('approve')(value)

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
    approve: z
      .custom<Approve | Approver>(isApprove, 'must be a function, or have a method `approve`')
      .optional(),
  })
  .refine(({ model, maxRetriesOnError }) => model !== undefined || maxRetriesOnError === 0, {
    path: ['maxRetriesOnError'],
    error: 'needs a model: only a model can write another program',
  })

/** The options with every default filled in. */
export type CodeExecutorAgentSettings = z.output<typeof optionsSchema>

/** @throws FencedError `INVALID_OPTIONS`. */
export function readOptions(options: CodeExecutorAgentOptions): CodeExecutorAgentSettings {
  return parseOptions(optionsSchema, options, 'CodeExecutorAgent')
}
