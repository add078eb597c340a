import { boundedText } from './bounded-text.ts'
import type { ToolOutput } from './tool-output.ts'

/** Options of {@link toolOutputText}. */
export interface ToolOutputTextOptions {
  /** How much of what was printed the text may hold, in characters. Default 16 000. */
  readonly maxLength?: number
}

/** So many files are named; of the others a model reads how many there are. */
const maxFiles = 50

/**
 * What a model reads of a tool's output, as plain text: what was printed, beginning and end of it where it is long, how it
 * ended where it did not end well, and which files it left.
 */
export function toolOutputText(
  { output, droppedBytes, status, exitCode, files }: ToolOutput,
  { maxLength = 16_000 }: ToolOutputTextOptions = {},
): string {
  const printed = boundedText(output, { maxLength, bytesLeftOut: droppedBytes }).trimEnd()
  const parts = [
    printed === '' ? '(Nothing was printed.)' : printed,
    ...(status === 'ok' || exitCode === undefined ? [] : [`Exit code: ${exitCode} (${status})`]),
    ...filesText(files),
  ]
  return parts.join('\n\n')
}

function filesText(files: ToolOutput['files']): string[] {
  if (files.length === 0) return []
  const lines = files
    .slice(0, maxFiles)
    .map(({ path, change, sizeBytes }) => `- ${path} (${change}, ${sizeBytes} bytes)`)
  if (files.length > maxFiles) lines.push(`- and ${files.length - maxFiles} more`)
  return [`Files in the working directory:\n${lines.join('\n')}`]
}
