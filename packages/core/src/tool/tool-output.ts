import { knownOptions } from '../options/known-options.ts'
import type { ProgramError } from '../program-error/program-error.ts'
import type { BlockResult, CodeResult, CodeStatus, Notice } from '../vocabulary/code-result.ts'
import { z } from '../zod.ts'
import { boundedText } from './bounded-text.ts'
import { picturesOf, type ToolPicturesOptions, toolPictureSchema } from './tool-pictures.ts'
import { withLosses } from './with-losses.ts'

const statuses = [
  'ok',
  'error',
  'timeout',
  'cancelled',
  'output-limit',
  'out-of-memory',
  'denied',
  'invalid',
  'died',
] as const satisfies readonly CodeStatus[]

const makeSchema = () =>
  z.object({
    /** Final status of the program, or `running`. */
    status: z.enum(['running', ...statuses]),
    /** Whether the program has ended successfully. */
    success: z.boolean(),
    /** Exit code; see `exitCodes` in `@fenced/core`. Absent while the program runs. */
    exitCode: z.int().optional(),
    /**
     * All printed text, followed by the reason if the program failed. While the program runs, the end of what has been printed so
     * far.
     */
    output: z.string(),
    /** Number of bytes dropped from the output to keep it within `maxOutputBytes`. */
    droppedBytes: z.int(),
    /** The reason why the program did not succeed, in a sentence. */
    error: z.string().optional(),
    /** The error that ended the program, if it raised one: see `ProgramError` in `@fenced/core`. Its text is in `output`. */
    exception: z
      .object({
        name: z.string(),
        message: z.string(),
        traceback: z.array(
          z.object({
            file: z.string(),
            line: z.int(),
            blockIndex: z.int().optional(),
            function: z.string().optional(),
            code: z.string().optional(),
            repeated: z.int().optional(),
          }),
        ),
      })
      .optional(),
    /** Progress that is not output: an image is being pulled, a package is being installed. Present only while the program runs. */
    progress: z.string().optional(),
    /** Files that the program created or changed in the working directory. */
    files: z.array(
      z.object({
        path: z.string(),
        absolutePath: z.string().optional(),
        sizeBytes: z.int(),
        change: z.enum(['created', 'changed']),
      }),
    ),
    /** Pictures from the results, if the tool shows them to the model. */
    pictures: z.array(toolPictureSchema).optional(),
    /** Further information, for example about an installed package, or a missing one and how to get it. */
    notices: z.array(
      z.object({ code: z.string(), message: z.string(), data: z.record(z.string(), z.string()).optional() }),
    ),
    /** Duration of the program, in milliseconds. Absent while it runs. */
    durationMs: z.number().optional(),
  })

let schema: ReturnType<typeof makeSchema> | undefined

/** Returns the schema for {@link ToolOutput}, which is made at its first use. */
export function toolOutputSchema(): ReturnType<typeof makeSchema> {
  schema ??= makeSchema()
  return schema
}

/** Output of a tool that runs code. It has the same shape for success and failure, and is plain JSON data. */
export type ToolOutput = z.output<ReturnType<typeof makeSchema>>

/** Returns the tool output for an execution's result. Includes pictures if their limits are given. */
export function toolOutputOf(result: CodeResult, pictures?: ToolPicturesOptions): ToolOutput {
  const { status, exitCode, output, blocks, files, durationMs } = result
  const error = status === 'ok' ? undefined : reasonOf(result)
  return {
    status,
    success: status === 'ok',
    exitCode,
    output,
    droppedBytes: bytesLeftOutOf(result),
    ...(error === undefined ? {} : { error }),
    ...exceptionOf(blocks.at(-1)),
    files: files.map((file) => ({ ...file })),
    ...(pictures === undefined ? {} : { pictures: picturesOf(result, pictures) }),
    notices: blocks.flatMap(({ notices }) => notices.map(plain)),
    durationMs,
  }
}

/** Returns the output for a tool that is still running. */
export function runningToolOutput(soFar: {
  readonly output?: string
  readonly progress?: string | undefined
}): ToolOutput {
  const { output = '', progress } = knownOptions(
    soFar,
    { output: true, progress: true },
    'runningToolOutput()',
  )
  return {
    status: 'running',
    success: false,
    output,
    droppedBytes: 0,
    ...(progress === undefined ? {} : { progress }),
    files: [],
    notices: [],
  }
}

/** Returns the output for a tool that did not run anything. */
export function refusedToolOutput({
  status,
  exitCode,
  message,
}: {
  readonly status: Exclude<CodeStatus, 'ok'>
  readonly exitCode: number
  readonly message: string
}): ToolOutput {
  return {
    status,
    success: false,
    exitCode,
    output: `${message}\n`,
    droppedBytes: 0,
    error: message,
    files: [],
    notices: [{ code: status, message }],
    durationMs: 0,
  }
}

function exceptionOf(block: BlockResult | undefined): Pick<ToolOutput, 'exception'> {
  if (block?.error === undefined) return {}
  const { name, message, traceback } = block.error
  return { exception: { name, message, traceback: traceback.map((frame) => ({ ...frame })) } }
}

/** The error of the program says it best, then the last line of stderr, then Fenced. */
function reasonOf({ status, exitCode, output, blocks }: CodeResult): string {
  const last = blocks.at(-1)
  const told = last?.notices.find(({ code }) => code === status) ?? last?.notices.at(-1)
  if (status !== 'error') return told?.message ?? lastLineOf(output) ?? status
  if (last?.error !== undefined) return errorLine(last.error)
  return lastLineOf(last?.stderr ?? '') ?? `The program ended with exit code ${exitCode}.`
}

/** `ValueError: no`. */
function errorLine({ name, message }: Pick<ProgramError, 'name' | 'message'>): string {
  return message === '' ? name : `${name}: ${message}`
}

function lastLineOf(text: string): string | undefined {
  const end = text.slice(-1_000).trimEnd()
  const line = end.slice(end.lastIndexOf('\n') + 1).trim()
  return line === '' ? undefined : line
}

function plain({ code, message, data }: Notice): ToolOutput['notices'][number] {
  return { code, message, ...(data === undefined ? {} : { data: { ...data } }) }
}

/** Options for {@link toolOutputText}. */
export interface ToolOutputTextOptions {
  /** Maximum length of printed text, in characters. Default: 16 000. */
  readonly maxLength?: number
}

/** The maximum number of named files. The model reads the number of the others. */
const maxFiles = 50

/**
 * Returns a tool's output as plain text for a model: the printed text (shortened in the middle if it is long), the notices that
 * report a loss, how the program ended if it did not succeed, and which files it created or changed.
 */
export function toolOutputText(
  { output, droppedBytes, status, exitCode, files, notices }: ToolOutput,
  options: ToolOutputTextOptions = {},
): string {
  const { maxLength = 16_000 } = knownOptions(options, { maxLength: true }, 'toolOutputText()')
  const printed = boundedText(output, { maxLength, bytesLeftOut: droppedBytes }).trimEnd()
  const parts = [
    withLosses(printed === '' ? '(Nothing was printed.)' : printed, notices).trimEnd(),
    // A model gets a running output only if its call was stopped.
    ...(status === 'running'
      ? ['The call was stopped before the program ended. This is its output so far.']
      : []),
    ...(status === 'ok' || exitCode === undefined ? [] : [`Exit code: ${exitCode} (${status})`]),
    ...filesText(files),
  ]
  return parts.join('\n\n')
}

/** Return type of {@link toolModelOutput}. */
export type CodeToolModelOutput =
  | { type: 'text' | 'error-text'; value: string }
  | {
      type: 'content'
      value: Array<
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; data: { type: 'data'; data: string } }
      >
    }

/** Returns a tool's output for a model in the AI SDK's format: the {@link toolOutputText} and the pictures. */
export function toolModelOutput(output: ToolOutput, options?: ToolOutputTextOptions): CodeToolModelOutput {
  const text = toolOutputText(output, options)
  const { success, pictures = [] } = output
  if (pictures.length === 0) return { type: success ? 'text' : 'error-text', value: text }
  const files = pictures.map(({ mediaType, data }) => ({
    type: 'file' as const,
    mediaType,
    data: { type: 'data' as const, data },
  }))
  return { type: 'content', value: [{ type: 'text', text }, ...files] }
}

function filesText(files: ToolOutput['files']): string[] {
  if (files.length === 0) return []
  const lines = files
    .slice(0, maxFiles)
    .map(({ path, change, sizeBytes }) => `- ${path} (${change}, ${sizeBytes} bytes)`)
  if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`)
  return [`Files in the working directory:\n${lines.join('\n')}`]
}

/** Returns the number of bytes left out of the output to keep it within `maxOutputBytes`. */
export function bytesLeftOutOf({ blocks }: Pick<CodeResult, 'blocks'>): number {
  return blocks.reduce((sum, { droppedBytes }) => sum + droppedBytes.output, 0)
}
