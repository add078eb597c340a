import type { ConversableAgent, TaskRunner } from '@fenced/agents'
import type {
  AskAbout,
  AskFunction,
  CodeExecutor,
  DecisionLedger,
  HostToolOptions,
  Notice,
} from '@fenced/core'
import { ledgerSchema, toolPicturesSchema } from '@fenced/core/internal'
import type { ToolPicturesOptions } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'
import type { LanguageModel } from 'ai'

/** An executor that a person can choose for a conversation. */
export interface WebExecutor {
  /** Stored in the log, so it must be the same each time the server starts. */
  readonly id: string
  /** Name shown to the person, such as `Docker, python:3-slim`. */
  readonly name: string
  /**
   * Where code runs and why, in sentences that the page shows next to the name.
   *
   * @default none
   */
  readonly description?: string | undefined
  /**
   * An executor like those that `createExecutor` returns. It is never started: the page shows its isolation, network and limits
   * where a person chooses a place.
   *
   * @default the page shows them with the question about the first program
   */
  readonly describedBy?: Pick<CodeExecutor, 'name' | 'capabilities'> | undefined
  /** Creates the executor of one conversation. It is stopped when the server closes. */
  readonly createExecutor: (options: WebExecutorOptions) => CodeExecutor | Promise<CodeExecutor>
  /**
   * Whether a person can request Python packages for a conversation, which are then passed to `createExecutor`.
   *
   * @default false
   */
  readonly takesPackages?: boolean | undefined
  /**
   * Called when the page is opened. Returns what is missing and how to fix it, or `undefined` if the executor is ready.
   *
   * @default the executor is ready
   */
  readonly check?: (() => Promise<WebProblem | undefined>) | undefined
}

/** Options for creating a conversation's executor. */
export interface WebExecutorOptions {
  /** Working directory of the executor. Its files are kept. */
  readonly workDir: string
  /** Packages to install for its programs, as pip accepts them. Empty without `takesPackages`. */
  readonly packages: readonly string[]
  /** Aborted when the person stops the run that is waiting for the executor. */
  readonly signal: AbortSignal
  /** Shows the person the progress, such as `{ code: 'install', message: 'numpy' }`. */
  readonly onNotice: (notice: Notice) => void
}

/** The reason why an executor cannot be used. */
export interface WebProblem {
  readonly problem: string
  /** A command that fixes the problem, or a sentence that says what to do. */
  readonly repair: string
}

/** A model that a person can choose. */
export interface WebModel {
  /** Stored in the log, so it must be the same each time the server starts. */
  readonly id: string
  readonly name: string
  /** The model, or a function that chooses one for a conversation's executor. */
  readonly model:
    | LanguageModel
    | ((executor: CodeExecutor, options: { readonly signal: AbortSignal }) => Promise<LanguageModel>)
  /**
   * Whether the model receives the pictures that programs create, and how many per run. Only for models that accept pictures.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Whether answers begin in the middle of reasoning, as with models whose chat template writes the opening `<think>`. Blocks
   * before the closing tag are then drafts and do not run.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
  /**
   * Maximum number of tokens that the model reads of the conversation, by an estimate. Messages in the middle of a longer
   * conversation are left out.
   *
   * @default 100_000
   */
  readonly maxInputTokens?: number | undefined
}

/** What an agent of a conversation is given. */
export interface WebConversation {
  /** The conversation's executor. The page stops it. */
  readonly executor: CodeExecutor
  /** Asks the person at the page. */
  readonly ask: AskFunction
  /** Remembers decisions also after the server was killed. */
  readonly ledger: DecisionLedger
}

/**
 * Creates the agent or team of one conversation. Pass `ask` and `ledger` to each agent that runs code, calls tools or prompts a person:
 * then its questions are asked at the page, and a program that has begun does not begin again without a question after a kill. Called
 * once for each conversation that is open. The agent is restored from its saved state, so it must have the same name and members each
 * time.
 */
export type WebAgent = (
  conversation: WebConversation,
) => TaskRunner | ConversableAgent | Promise<TaskRunner | ConversableAgent>

/** Options of `createFencedWeb`. */
export interface FencedWebOptions extends HostToolOptions {
  /** Available executors. The first is the default for new conversations. */
  readonly executors: readonly WebExecutor[]
  /** Available models. The first is the default for new conversations. Without models, the page only runs documents. */
  readonly models?: readonly WebModel[] | undefined
  /**
   * Agents and teams that a person can choose in place of a model, by their names on the page. A name is stored in the log, and differs
   * from the ids of the models. @default none
   */
  readonly agents?: Readonly<Record<string, WebAgent>> | undefined
  /**
   * Directory for conversations and their files, created with access for the current user only. Only one server at a time can use
   * it.
   */
  readonly directory: string
  /**
   * Token that grants all rights on the page. A generated token is stored in `directory`.
   *
   * @default a random token, reused by every start in this directory
   */
  readonly token?: string | undefined
  /**
   * Host names under which the page is reachable in addition to `localhost`, `127.0.0.1` and `[::1]`, such as
   * `fenced.example.com`.
   *
   * @default none
   */
  readonly hosts?: readonly string[] | undefined
  /**
   * Maximum number of answers that the model gives to a message before a person must continue.
   *
   * @default 20
   */
  readonly maxAnswers?: number | undefined
  /**
   * Replacement for the model's instructions.
   *
   * @default instructions for a model whose code is run, with facts about the executor
   */
  readonly instructions?: string | undefined
  /**
   * Ledger of decisions about programs, tool calls and installations, such as `fileLedger(path)`. See `AskOptions`.
   *
   * @default a ledger in `directory`
   */
  readonly ledger?: DecisionLedger | undefined
  /**
   * Decides about tool calls instead of the person at the page. Everything else is asked there.
   *
   * @default calls of tools with `needsApproval` are asked at the page, and others are allowed
   */
  readonly ask?: { readonly tool?: AskAbout<'tool'> | undefined } | undefined
  /** Tasks that the page suggests in a new conversation. @default none */
  readonly examples?: readonly string[] | undefined
}

const named = z.strictObject({ id: z.string().regex(/^[\w.:/-]{1,200}$/), name: z.string().min(1) })

export const optionsSchema = z
  .strictObject({
    executors: z
      .array(
        named.extend({
          description: z.string().optional(),
          describedBy: z.looseObject({ name: z.string(), capabilities: z.looseObject({}) }).optional(),
          createExecutor: z.function(),
          takesPackages: z.boolean().optional(),
          check: z.function().optional(),
        }),
      )
      .min(1),
    models: z
      .array(
        named.extend({
          model: z.unknown(),
          pictures: toolPicturesSchema,
          startsInReasoning: z.boolean().optional(),
          maxInputTokens: z.int().min(1).optional(),
        }),
      )
      .optional(),
    agents: z.record(named.shape.id, z.function()).optional(),
    directory: z.string().min(1),
    token: z.string().min(16, 'is too short to be secret: use at least 16 characters').optional(),
    hosts: z.array(z.string().regex(/^[\w.-]+$/, 'is a name without port')).optional(),
    maxAnswers: z.int().min(1).optional(),
    instructions: z.string().optional(),
    examples: z.array(z.string().min(1)).optional(),
    ledger: ledgerSchema.optional(),
    tools: z.unknown().optional(),
    ask: z.strictObject({ tool: z.function().optional() }).optional(),
    toolLimits: z.unknown().optional(),
  })
  .refine(({ models = [], agents = {} }) => models.every(({ id }) => !Object.hasOwn(agents, id)), {
    path: ['agents'],
    error: 'has a name that is the id of a model: a conversation stores only one of them',
  })
