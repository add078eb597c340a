import type { Ask, CodeExecutor, DecisionLedger } from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { askShape, isAsk, ledgerSchema, toolPicturesSchema } from '@fenced/core/internal'
import type { ToolPicturesOptions } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'
import type { LanguageModel, ToolSet } from 'ai'
import type { HumanInput } from '../human-input/human-input.ts'
import type { Message } from '../message/message.ts'
import type { ModelOptions } from '../model/model-request.ts'
import { hasMethod, isFunction, isModel } from '../model/model-request.ts'
import type { ModelContext } from '../model-context/model-context.ts'
import type { SandboxSession } from '../tool/agent-tool.ts'
import type { PriceTable } from '../usage.ts'

/** A registered kind of executor, and the options for creating one. */
export interface NamedExecutor {
  readonly name: string
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

export const executorSchema = z.union(
  [
    z.string().min(1),
    z.custom<CodeExecutor>(hasMethod('execute')),
    z.strictObject({ name: z.string().min(1), options: z.record(z.string(), z.unknown()).optional() }),
  ],
  { error: 'must be a CodeExecutor, the name of a registered one, or { name, options }' },
)

const oneModelSchema = z.custom<LanguageModel>(isModel, 'must be a language model of the AI SDK')

const isRecord = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const price = z.number().min(0)

/** What says which models are asked, and how. */
export const modelOptionsShape = {
  model: z.union([oneModelSchema, z.array(oneModelSchema).min(1)]).optional(),
  pictures: toolPicturesSchema,
  startsInReasoning: z.boolean().default(false),
  tools: z.custom<ToolSet>(isRecord, 'must be an object with tools by their names').optional(),
  ask: z.custom<Ask>(isAsk, askShape).optional(),
  askTimeoutMs: z.int().min(1).optional(),
  maxToolIterations: z.int().min(1).default(20),
  maxInputTokens: z.int().min(1).optional(),
  modelContext: z.custom<ModelContext>(hasMethod('select'), 'must be a ModelContext').optional(),
  sandbox: z.custom<SandboxSession>(hasMethod('run'), 'must be a sandbox session of the AI SDK').optional(),
  modelOptions: z.custom<ModelOptions>(isRecord, 'must be an object').optional(),
  prices: z
    .record(
      z.string(),
      z.strictObject({
        inputPerMillion: price,
        outputPerMillion: price,
        cacheReadPerMillion: price.optional(),
        cacheWritePerMillion: price.optional(),
      }),
    )
    .optional(),
} as const

/**
 * When the agent prompts a person: before every reply (`always`), before the conversation ends and at the limit (`terminate`), or
 * never.
 */
export type HumanInputMode = 'always' | 'terminate' | 'never'

/** How an agent runs the code in messages that it receives. */
export interface CodeExecutionConfig {
  /**
   * Executor that runs the code. An executor object is stopped by its owner. The name of a registered kind of executor
   * (`commandline-local`), alone or with options, creates an executor that the agent stops.
   */
  readonly executor: CodeExecutor | string | NamedExecutor
  /** Number of messages to search for code, from the newest; `auto` for all since the agent last spoke. @default 'auto' */
  readonly lastNMessages?: number | 'auto' | undefined
  /**
   * Maximum length of the result in a reply, in UTF-16 code units. The beginning and end of a longer result are kept.
   *
   * @default 16_000
   */
  readonly maxResultLength?: number | undefined
  /**
   * Whether code in a message that ends the conversation runs before the conversation ends. With `false`, such a message ends the
   * conversation immediately.
   *
   * @default true
   */
  readonly runBeforeTermination?: boolean | undefined
}

/** Options of every agent in this package. */
export interface ModelAgentOptions {
  /** Name of the agent in messages and events. */
  readonly name: string
  /** An AI SDK model, or several: if one fails, the next one answers. @default no model */
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
  /** Settings for every request. @default none */
  readonly modelOptions?: ModelOptions | undefined
  /**
   * Whether the models receive pictures from code and tools: at most 4 pictures and 3 MB per program, unless the option sets
   * other limits, and the newest 20 pictures per request. Only for models that accept pictures; with `false`, models read
   * the file names.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Whether answers begin in the middle of reasoning, as with models whose chat template writes the opening `<think>`. Text
   * before the closing tag is then reasoning: it is not part of the answer, and no program in it runs.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
  /**
   * Tools that the model can call, keyed by name, as in the AI SDK. The agent runs the calls before it replies. The model's
   * provider runs its own tools, and the partner in a conversation runs tools without `execute`.
   *
   * @default no tools
   */
  readonly tools?: ToolSet | undefined
  /**
   * Answers all the agent's questions: one function, one function per kind, or an `ApprovalQueue`. Questions are about code, tool
   * calls, and what running programs need (`network`, `input`, `install`). Questions about tool calls are asked one at a time, and
   * not for tools with `needsApproval: false`. Without `humanInput`, it also provides the person's messages.
   *
   * @default the default of each kind: all code runs, and all tools are called except those with `needsApproval`
   */
  readonly ask?: Ask | undefined
  /**
   * Time limit for each question to `ask`, in milliseconds. A question that is not answered in time
   * counts as denied.
   *
   * @default none
   */
  readonly askTimeoutMs?: number | undefined
  /** Maximum number of rounds of tool calls before a reply. @default 20 */
  readonly maxToolIterations?: number | undefined
  /**
   * Maximum number of tokens that the model reads of a conversation, by an estimate. The messages in the middle are left out. Set it
   * below the model's context window, which also holds the instructions, the tools and the answer.
   *
   * @default none; the model reads the first message and the newest 399
   */
  readonly maxInputTokens?: number | undefined
  /**
   * Selects the messages that the model reads, in place of `maxInputTokens`. The history and the results are not shortened.
   *
   * @default the first message and the newest 399
   */
  readonly modelContext?: ModelContext | undefined
  /** AI SDK sandbox session that tools receive with each call, as with `generateText`. @default none */
  readonly sandbox?: SandboxSession | undefined
  /** Model prices, for computing costs. @default no cost is reported */
  readonly prices?: PriceTable | undefined
  /**
   * Ledger of decisions about code. With `fileLedger(path)`, a program runs only once, even if several processes load the same
   * saved state.
   *
   * @default a ledger in memory, for this agent alone
   */
  readonly ledger?: DecisionLedger | undefined
}

/** Options of {@link ConversableAgent}. Only `name` is required. */
export interface ConversableAgentOptions extends ModelAgentOptions {
  /** The model's instructions. @default 'You are a helpful assistant.' */
  readonly systemMessage?: string | undefined
  /** The agent's description for other agents. @default `systemMessage` */
  readonly description?: string | undefined
  /** When the agent prompts a person. @default 'terminate' */
  readonly humanInputMode?: HumanInputMode | undefined
  /** How the agent prompts a person. @default in the terminal */
  readonly humanInput?: HumanInput | undefined
  /**
   * Whether a message ends the conversation. A function receives the whole message, with the text of programs. `writtenTextOf` returns
   * its text without that.
   *
   * @default whether the last line that a model or a person wrote is TERMINATE
   */
  readonly isTermination?: ((message: Message) => boolean | Promise<boolean>) | undefined
  /** Maximum number of consecutive replies to a partner without a person; 0 allows none. @default 100 */
  readonly maxConsecutiveAutoReply?: number | undefined
  /** How the agent runs code; `false` for an agent that does not run code. @default false */
  readonly codeExecutionConfig?: CodeExecutionConfig | false | undefined
  /**
   * Reply of the agent if none of its reply functions has one. Without it, an agent that could only send empty messages starts no
   * conversation (`AGENT_CANNOT_REPLY`); with `''`, it sends them.
   *
   * @default an empty message
   */
  readonly defaultAutoReply?: string | undefined
}

const codeExecutionSchema = z.strictObject({
  executor: executorSchema,
  lastNMessages: z
    .union([z.literal('auto'), z.int().min(0)], { error: 'must be a whole number from 0, or "auto"' })
    .default('auto'),
  maxResultLength: z.int().min(1).default(16_000),
  runBeforeTermination: z.boolean().default(true),
})

const optionsSchema = z.strictObject({
  name: z.string().min(1),
  systemMessage: z.string().default('You are a helpful assistant.'),
  description: z.string().optional(),
  ...modelOptionsShape,
  humanInputMode: z.enum(['always', 'terminate', 'never']).default('terminate'),
  humanInput: z.custom<HumanInput>(hasMethod('ask'), 'must have a method `ask`').optional(),
  isTermination: z
    .custom<NonNullable<ConversableAgentOptions['isTermination']>>(isFunction, 'must be a function')
    .optional(),
  maxConsecutiveAutoReply: z.int().min(0).default(100),
  codeExecutionConfig: z.union([z.literal(false), codeExecutionSchema]).default(false),
  ledger: ledgerSchema.optional(),
  defaultAutoReply: z.string().optional(),
})

export type AgentSettings = z.output<typeof optionsSchema>

/** @throws FencedError `INVALID_OPTIONS`. */
export function readAgentOptions(options: ConversableAgentOptions, of: string): AgentSettings {
  return parseOptions(optionsSchema, options, of)
}

/** Options with the defaults of a kind of agent. A value that is not an object is left to validation. */
export function withPresets(
  options: ConversableAgentOptions,
  presets: (options: ConversableAgentOptions) => Partial<ConversableAgentOptions>,
): ConversableAgentOptions {
  return typeof options === 'object' && options !== null ? { ...options, ...presets(options) } : options
}
