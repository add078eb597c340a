import type { CodeExecutor, DecisionLedger, HostToolOptions, Notice } from '@fenced/core'
import { ledgerSchema } from '@fenced/core/internal'
import { type ToolPicturesOptions, toolPicturesSchema } from '@fenced/core/tool'
import type { LanguageModel } from 'ai'
import { z } from 'zod'

/** An executor that can be chosen for a conversation. */
export interface WebExecutor {
  /** Kept in the log: it must be the same at each start of the server. */
  readonly id: string
  /** For a person: `Docker, python:3-slim`. */
  readonly name: string
  /**
   * Where code runs and why, as sentences that the page shows beside the name.
   *
   * @default none
   */
  readonly description?: string | undefined
  /** Makes the executor of one conversation. It is stopped when the server is closed. */
  readonly createExecutor: (options: WebExecutorOptions) => CodeExecutor | Promise<CodeExecutor>
  /**
   * Whether a person can name Python packages for a conversation, with which `createExecutor` is called then.
   *
   * @default false
   */
  readonly takesPackages?: boolean | undefined
  /**
   * Says what is missing for it, and which command repairs that; nothing where it is there. Asked when the page is opened.
   *
   * @default it is there
   */
  readonly check?: (() => Promise<WebProblem | undefined>) | undefined
}

/** What the executor of a conversation is made with. */
export interface WebExecutorOptions {
  /** The directory in which it works; its files stay. */
  readonly workDir: string
  /** What its programs are to find installed, as pip takes it; empty without `takesPackages`. */
  readonly packages: readonly string[]
  /** Aborted when a person stops what waits for it. */
  readonly signal: AbortSignal
  /** Shows a person how it goes: `{ code: 'install', message: 'numpy' }`. */
  readonly onNotice: (notice: Notice) => void
}

/** Why an executor cannot be used. */
export interface WebProblem {
  readonly problem: string
  /** A command or a sentence that says what to do. */
  readonly repair: string
}

/** A model that can be chosen. */
export interface WebModel {
  /** Kept in the log, as that of an executor. */
  readonly id: string
  readonly name: string
  /** The model, or a function that chooses one for the executor of a conversation. */
  readonly model:
    | LanguageModel
    | ((executor: CodeExecutor, options: { readonly signal: AbortSignal }) => Promise<LanguageModel>)
  /**
   * Whether it is given the pictures that programs make, and how many of one run. Only for models that take pictures.
   *
   * @default false
   */
  readonly pictures?: boolean | ToolPicturesOptions | undefined
  /**
   * Whether its answers begin in the middle of reasoning, as with models whose chat template writes the opening `<think>`. Blocks
   * above the closing tag are drafts then, and not run.
   *
   * @default false
   */
  readonly startsInReasoning?: boolean | undefined
  /**
   * How much of a conversation it is given with each request, in characters. A longer conversation is its first message and the
   * newest ones; a single message is cut to half of it.
   *
   * @default 400_000
   */
  readonly maxPromptCharacters?: number | undefined
}

/** Options of `createFencedWeb`. */
export interface FencedWebOptions extends HostToolOptions {
  /** The first one is chosen for a new conversation. */
  readonly executors: readonly WebExecutor[]
  /** The first is the default of a new conversation. Without models, the page only runs documents. */
  readonly models?: readonly WebModel[] | undefined
  /** Where conversations and their files are kept; it is made for this user only. One server at a time works in it. */
  readonly directory: string
  /**
   * Grants all rights of the page. A generated token is kept in `directory`.
   *
   * @default a random one, the same for every start in this directory
   */
  readonly token?: string | undefined
  /**
   * Names of hosts under which the page is reached besides `localhost`, `127.0.0.1` and `[::1]`, such as `fenced.example.com`.
   *
   * @default none
   */
  readonly hosts?: readonly string[] | undefined
  /**
   * How many answers the model gives to a message at most before a person has to continue.
   *
   * @default 20
   */
  readonly maxAnswers?: number | undefined
  /**
   * Replaces the instructions of the model.
   *
   * @default instructions for a model whose code is run, with what is true of the executor
   */
  readonly instructions?: string | undefined
  /**
   * Records the decisions about programs, calls of tools and installations, such as `fileLedger(path)`. See `approvedExecutor`.
   *
   * @default a ledger in memory for each run
   */
  readonly ledger?: DecisionLedger | undefined
  /** Tasks that a new conversation offers. @default none */
  readonly examples?: readonly string[] | undefined
}

const named = z.looseObject({ id: z.string().regex(/^[\w.:/-]{1,200}$/), name: z.string().min(1) })

export const optionsSchema = z.strictObject({
  executors: z
    .array(
      named.extend({
        description: z.string().optional(),
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
        maxPromptCharacters: z.int().min(1_000).optional(),
      }),
    )
    .optional(),
  directory: z.string().min(1),
  token: z.string().min(16, 'is too short to be secret: use at least 16 characters').optional(),
  hosts: z.array(z.string().regex(/^[\w.-]+$/, 'is a name without port')).optional(),
  maxAnswers: z.int().min(1).optional(),
  instructions: z.string().optional(),
  examples: z.array(z.string().min(1)).optional(),
  ledger: ledgerSchema.optional(),
  tools: z.unknown().optional(),
  approveTool: z.function().optional(),
  toolLimits: z.unknown().optional(),
})
