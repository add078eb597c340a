/** A host tool that programs can call: an AI SDK tool (`tool()`), a tool from an AI SDK MCP client, or a plain function. */
export type HostTool = HostToolFunction | HostToolObject

/** A function in this process. Its single argument is an object with the program's named arguments, unvalidated. */
type HostToolFunction = (input: never, options: HostToolCallOptions) => unknown

/** A function with a description and schemas. */
export interface HostToolObject {
  /** Text for the model and for `help(tools.NAME)`. A description function is ignored, because it needs the AI SDK's context. */
  readonly description?: string | ((options: never) => string) | undefined
  /**
   * Schema for the arguments object: a zod schema, a schema from another library that supports Standard JSON Schema, an AI SDK
   * `jsonSchema()` value, or a plain JSON Schema object.
   *
   * @default any arguments
   */
  readonly inputSchema?: unknown
  /**
   * Schema for the return value, in the same forms as `inputSchema`. It becomes a type in the program. The call fails if the
   * value does not match.
   *
   * @default any value
   */
  readonly outputSchema?: unknown
  /**
   * Runs the tool. It must return JSON, or an iterator whose last value is JSON. A `Uint8Array` becomes `bytes` in the program.
   */
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  /**
   * Whether `ask` is called, as in the AI SDK. If nobody decides about tools, the call is denied. Default: it is called if
   * given.
   */
  readonly needsApproval?: unknown
}

/** Tools keyed by the name that programs call. In Python, characters that are not allowed in an identifier become `_`. */
export type HostTools = Readonly<Record<string, HostTool>>

/** Options for a tool call, as in the AI SDK. */
export interface HostToolCallOptions {
  /** ID of the call. */
  readonly toolCallId: string
  /** Always empty, because the caller is a program and there is no conversation. */
  readonly messages: never[]
  /** Aborted when the block is stopped or `toolLimits.callTimeoutMs` is reached. */
  readonly abortSignal: AbortSignal
}

/** Limits on the calls in one block. */
export interface HostToolLimits {
  /**
   * Maximum number of calls.
   *
   * @default 1_000
   */
  readonly maxCalls?: number | undefined
  /**
   * Maximum number of unanswered calls at a time.
   *
   * @default 16
   */
  readonly maxCallsInFlight?: number | undefined
  /**
   * Size limit for a call's arguments and for its return value, in bytes of JSON.
   *
   * @default 4 MiB
   */
  readonly maxBytes?: number | undefined
  /**
   * Time limit for a tool, in milliseconds, not counting the time for its question. The program's time limit is paused for up to
   * `timeoutMs` in total for all calls in a block.
   *
   * @default 60_000
   */
  readonly callTimeoutMs?: number | undefined
}

/** `execute` options for programs that call host tools. */
export interface HostToolOptions {
  /**
   * Tools that programs can call. In Python, they are functions in a module: `import tools; rows = tools.query_db(sql="...")`. In
   * JavaScript and TypeScript, they are methods of a global object: `await tools.queryDb({ sql: '...' })`. A program can do
   * anything that its tools can do. `capabilities.toolLanguages` lists the supported languages; programs in other languages run
   * without tools.
   *
   * Rejects with FencedError `TOOLS_UNSUPPORTED` if the executor runs none of those languages.
   *
   * @default none
   */
  readonly tools?: HostTools | undefined
  /**
   * Limits on the tool calls in each block.
   *
   * @default { 'maxCalls': 1_000, 'maxCallsInFlight': 16, 'maxBytes': 4_194_304, 'callTimeoutMs': 60_000 }
   */
  readonly toolLimits?: HostToolLimits | undefined
}

/** A tool call that a program made, as reported in the block's result. */
export interface HostToolCall {
  /** Unique ID. */
  readonly id: string
  /** Name of the tool on the host. */
  readonly tool: string
  /** The arguments. Absent if they are not JSON, or if `shortenedInput` replaces them. */
  readonly input?: unknown
  /** Summary of arguments that are larger than 64 KiB or do not fit within the 8 MiB kept per block. */
  readonly shortenedInput?: ShortenedValue
  /** The return value. Absent if the call failed, or if `shortenedOutput` replaces it. */
  readonly output?: unknown
  /** Summary of a return value, under the same conditions as `shortenedInput`. */
  readonly shortenedOutput?: ShortenedValue
  /** The reason why the program received an exception. */
  readonly error?: HostToolFailure
  /** Line of the program that made the call, counted from 1. Absent if unknown. */
  readonly line?: number
  /** Time from the call to the answer, in milliseconds, including the time for the question. */
  readonly durationMs: number
}

/** Summary of a value that is too large, taken from its redacted JSON. */
export interface ShortenedValue {
  /** The first 4,096 characters, or the first 200 if the block's 8 MiB are used up. */
  readonly start: string
  /** Length in characters (UTF-16 code units). */
  readonly length: number
  /** SHA-256 hash, in hex. */
  readonly sha256: string
}

/** The reason why a call has no output. */
export interface HostToolFailure {
  /**
   * `denied`: by a person or a policy. `failed`: inside the tool. `refused`: because of the tool's name, the arguments or a
   * limit.
   */
  readonly kind: 'denied' | 'failed' | 'refused'
  /** Error message of at most 8,192 characters, or fewer if more than 8 MiB would be kept for the block. */
  readonly message: string
}
