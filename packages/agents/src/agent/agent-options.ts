import {
  type Approve,
  type Approver,
  type ApproveTool,
  type Ask,
  type CodeExecutor,
  createExecutor,
  type DecisionLedger,
} from '@fenced/core'
import { parseOptions } from '@fenced/core/driver'
import { askShape, isAsk, ledgerSchema } from '@fenced/core/internal'
import { type ToolPicturesOptions, toolPicturesSchema } from '@fenced/core/tool'
import type { LanguageModel, ToolSet } from 'ai'
import { z } from 'zod'
import type { HumanInput } from '../human-input/human-input.ts'
import type { Message } from '../message/message.ts'
import { hasMethod, isFunction, isModel } from '../model/is-model.ts'
import type { ModelOptions } from '../model/model-request.ts'
import type { SandboxSession } from '../tool/agent-tool.ts'
import type { PriceTable } from '../usage.ts'

/** A kind of executors that a package has registered, and the options for one of them. */
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

/** Who decides whether code may be run. */
export const approveSchema = z.custom<Approve | Approver>(
  (value) => isFunction(value) || hasMethod('approve')(value),
  'must be a function, or have a method `approve`',
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
  approveTool: z.custom<ApproveTool>(isFunction, 'must be a function').optional(),
  ask: z.custom<Ask>(isAsk, askShape).optional(),
  askTimeoutMs: z.int().min(1).optional(),
  maxToolIterations: z.int().min(1).default(20),
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

/** When the agent prompts a person: before every reply, before the end and at the limit, or never. */
export type HumanInputMode = 'always' | 'terminate' | 'never'

/** How an agent runs the code that it is sent. */
export interface CodeExecutionConfig {
  /**
   * Where code runs: an executor, which its owner stops; or the name of a kind of executors that a package has
   * registered (`commandline-local`), alone or with its options, and then it is the agent's to stop.
   */
  readonly executor: CodeExecutor | string | NamedExecutor
  /** How many messages are searched for code, from the newest. Default `auto`: all since the agent last spoke. */
  readonly lastNMessages?: number | 'auto' | undefined
  /** How much of a result goes into the reply, in UTF-16 code units: its beginning and its end. Default 16 000. */
  readonly maxReplyLength?: number | undefined
  /**
   * Whether code in a message that ends the conversation is run before the end. Default `true`; with `false` such a
   * message ends it at once.
   */
  readonly runBeforeTermination?: boolean | undefined
}

/** Options of every agent of this package. */
export interface ModelAgentOptions {
  /** Name in messages and events. */
  readonly name: string
  /** A model of the AI SDK, or several: when one fails, the next one answers. Default: no model. */
  readonly model?: LanguageModel | readonly LanguageModel[] | undefined
  /** Settings of every request. Default: none. */
  readonly modelOptions?: ModelOptions | undefined
  /**
   * Whether its models receive the pictures of code and tools: per program 4, and 3 MB, or the limits of the option; per request the
   * newest 20. Only for models that accept pictures. Default `false`: models read the names of the files.
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Whether answers begin in the middle of reasoning, as with models whose chat template writes the opening `<think>`. Text before
   * the closing tag is then reasoning: it is not part of the answer, and no program in it runs.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
  /**
   * Tools that its model can call, by name, as in the AI SDK. The agent runs the calls before it replies. The model's provider runs
   * its own tools, and the partner in a conversation runs tools without `execute`. Default: no tools.
   */
  readonly tools?: ToolSet | undefined
  /**
   * Called before each tool call except for tools with `needsApproval: false`; one question at a time. Default: all calls are made
   * except those of tools with `needsApproval`, which are denied.
   */
  readonly approveTool?: ApproveTool | undefined
  /**
   * Answers all questions of the agent: one function, one function per kind, or an `ApprovalQueue`. Questions are about code, tool
   * calls, and the needs of running programs (`network`, `input`, `install`). Without `humanInput`, it also gives the messages of
   * the person. `approve` and `approveTool` are short forms for one kind; use one form per kind.
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
  /** Maximum number of rounds of tool calls before a reply. Default 20. */
  readonly maxToolIterations?: number | undefined
  /** The session of the AI SDK that tools receive with a call, as with `generateText`. Default: none. */
  readonly sandbox?: SandboxSession | undefined
  /** Prices of models. Default: no cost is reported. */
  readonly prices?: PriceTable | undefined
  /** Decides whether code may run: a function, or an object with this method. Default: code runs. */
  readonly approve?: Approve | Approver | undefined
  /**
   * Records the decisions about code. With `fileLedger(path)`, processes that load the same saved state run a program once.
   *
   * @default a ledger in memory, for this agent alone
   */
  readonly ledger?: DecisionLedger | undefined
}

/** Options of {@link ConversableAgent}. Only `name` is needed. */
export interface ConversableAgentOptions extends ModelAgentOptions {
  /** The instructions of the model. Default: that it is a helpful assistant. */
  readonly systemMessage?: string | undefined
  /** Its description for other agents. Default: `systemMessage`. */
  readonly description?: string | undefined
  /** Default `terminate`. */
  readonly humanInputMode?: HumanInputMode | undefined
  /** How the agent prompts a person. Default: in the terminal. */
  readonly humanInput?: HumanInput | undefined
  /** Whether a message ends the conversation. Default: its last line is TERMINATE. */
  readonly isTermination?: ((message: Message) => boolean | Promise<boolean>) | undefined
  /** How often in a row it answers a partner without a person; 0 is never. Default 100. */
  readonly maxConsecutiveAutoReply?: number | undefined
  /** How it runs code. Default `false`: it does not. */
  readonly codeExecutionConfig?: CodeExecutionConfig | false | undefined
  /** What it says when none of its functions has a reply. Default: an empty message. */
  readonly defaultAutoReply?: string | undefined
}

const codeExecutionSchema = z.strictObject({
  executor: executorSchema,
  lastNMessages: z
    .union([z.literal('auto'), z.int().min(0)], { error: 'must be a whole number from 0, or "auto"' })
    .default('auto'),
  maxReplyLength: z.int().min(1).default(16_000),
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
  approve: approveSchema.optional(),
  ledger: ledgerSchema.optional(),
  defaultAutoReply: z.string().default(''),
})

/** The options with every default filled in. */
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

/** @throws FencedError `UNKNOWN_EXECUTOR`; what the executor throws for its options. */
export function executorOf(executor: CodeExecutor | string | NamedExecutor): {
  readonly executor: CodeExecutor
  readonly isOwn: boolean
} {
  if (typeof executor === 'string') return { executor: createExecutor(executor), isOwn: true }
  if ('execute' in executor) return { executor, isOwn: false }
  return { executor: createExecutor(executor.name, executor.options), isOwn: true }
}
