import type { ApproveTool } from '../approval/tool-request.ts'

/**
 * A host tool that programs may call: a tool of the AI SDK (`tool()`), of an MCP client of the AI SDK, or a plain function.
 */
export type HostTool = HostToolFunction | HostToolObject

/** A function of this process. Its one argument has the named arguments of the program, unchecked. */
export type HostToolFunction = (input: never, options: HostToolCallOptions) => unknown

/** A function with its description and schemas. */
export interface HostToolObject {
  /** Text for the model, and for `help(tools.NAME)`. A function, which needs the AI SDK's context, is ignored. */
  readonly description?: string | ((options: never) => string) | undefined
  /**
   * Schema of the arguments object: a schema of zod or of another library with Standard JSON Schema, `jsonSchema()` of the AI
   * SDK, or JSON Schema as data.
   *
   * @default any arguments
   */
  readonly inputSchema?: unknown
  /**
   * Schema of the returned value, in the same forms as `inputSchema`. It becomes a type in the program. A value that does
   * not match fails the call.
   *
   * @default anything
   */
  readonly outputSchema?: unknown
  /** Runs the tool. It must return JSON, or an iterator whose last value is JSON. `Uint8Array` is `bytes` in the program. */
  readonly execute?: ((input: never, options: never) => unknown) | undefined
  /** Whether `approveTool` is called, as in the AI SDK. Without `approveTool`, the call is denied. Default: called if given. */
  readonly needsApproval?: unknown
}

/** Tools by the names that programs call. In Python, characters that an identifier cannot have become `_`. */
export type HostTools = Readonly<Record<string, HostTool>>

/** Options of a tool call, as in the AI SDK. */
export interface HostToolCallOptions {
  /** Id of the call. */
  readonly toolCallId: string
  /** Empty: a program calls, and no conversation. */
  readonly messages: never[]
  /** Aborted when the block is stopped, and at `toolLimits.callTimeoutMs`. */
  readonly abortSignal: AbortSignal
}

/** Limits for the calls of one block. */
export interface HostToolLimits {
  /**
   * Maximum number of calls.
   *
   * @default 1_000
   */
  readonly maxCalls?: number | undefined
  /**
   * Maximum number of calls that wait for their answer at a time.
   *
   * @default 16
   */
  readonly maxCallsInFlight?: number | undefined
  /**
   * Size limit for the arguments of a call, and for its returned value, as JSON in bytes.
   *
   * @default 4 MiB
   */
  readonly maxBytes?: number | undefined
  /**
   * Time limit for a tool, in milliseconds, without the time of its question. The program's time limit pauses for up to
   * `timeoutMs` for all calls of a block.
   *
   * @default 60_000
   */
  readonly callTimeoutMs?: number | undefined
}

/** Options of `execute` for programs that call tools of the host. */
export interface HostToolOptions {
  /**
   * Tools that programs call: in Python as functions of a module, `import tools; rows = tools.query_db(sql="...")`, in JavaScript and
   * TypeScript as functions of a global variable, `await tools.queryDb({ sql: '...' })`. A program can do everything that
   * its tools can do. `capabilities.toolLanguages` lists the languages; programs in other languages run without tools.
   *
   * Rejects with FencedError `TOOLS_UNSUPPORTED` where the executor runs none of those languages.
   *
   * @default none
   */
  readonly tools?: HostTools | undefined
  /**
   * Called before each call of a tool, unless its `needsApproval` is or returns `false`.
   *
   * @default every call is allowed, but for those of tools with `needsApproval`
   */
  readonly approveTool?: ApproveTool | undefined
  /** Limits for the calls of each block. */
  readonly toolLimits?: HostToolLimits | undefined
}

/** A call that a program made, in the result of its block. */
export interface HostToolCall {
  /** Unique. */
  readonly id: string
  /** The name of the tool, as the host has it. */
  readonly tool: string
  /** The arguments; absent if they are not JSON, or if `shortenedInput` replaces them. */
  readonly input?: unknown
  /** Summary of arguments that are larger than 64 KiB, or that do not fit into the 8 MiB that are kept per block. */
  readonly shortenedInput?: ShortenedValue
  /** Returned value; absent if the call failed, or if `shortenedOutput` replaces it. */
  readonly output?: unknown
  /** Summary of a returned value, as `shortenedInput` is of arguments. */
  readonly shortenedOutput?: ShortenedValue
  /** Why the program got an exception. */
  readonly error?: HostToolFailure
  /** The line of the program that called, from 1; absent where it is not known. */
  readonly line?: number
  /** From the call to the answer, in milliseconds, with the time of the question. */
  readonly durationMs: number
}

/** The kept part of a value that is too large, of its redacted JSON. */
export interface ShortenedValue {
  /** The first 4,096 characters; the first 200 where the 8 MiB of the block are used up. */
  readonly start: string
  /** Length in characters (UTF-16 code units). */
  readonly length: number
  /** SHA-256, in hex. */
  readonly sha256: string
}

/** Why a call has no output. */
export interface HostToolFailure {
  /** `denied` by a person or a policy; `failed` in the tool; `refused` because of its name, its arguments or a limit. */
  readonly kind: 'denied' | 'failed' | 'refused'
  /** At most 8,192 characters; less where all that is kept of the block is larger than 8 MiB. */
  readonly message: string
}
