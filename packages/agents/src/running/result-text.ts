import type { CodeResult } from '@fenced/core'
import { bytesLeftOutOf, withLosses } from '@fenced/core/internal'
import { boundedText } from '@fenced/core/tool'

type Outcome = Pick<CodeResult, 'exitCode' | 'output' | 'blocks'>

/**
 * Returns the reply to a message with code: the exit code and the output in AutoGen's format, and the notices that report a loss.
 *
 * @param maxLength - Maximum length of the output, in UTF-16 code units.
 */
export function codeReply(result: Outcome, maxLength: number): string {
  const { exitCode } = result
  const outcome = exitCode === 0 ? 'execution succeeded' : 'execution failed'
  return shown(result, maxLength, (output) => `exitcode: ${exitCode} (${outcome})\nCode output: \n${output}`)
}

/** Text of a result for the model of a CodeExecutorAgent, with the notices that report a loss. */
export function resultText(result: CodeResult, maxLength: number): string {
  return shown(result, maxLength, (output) => outcomeText(result, output))
}

function shown(result: Outcome, maxLength: number, format: (output: string) => string): string {
  const output = boundedText(result.output, { maxLength, bytesLeftOut: bytesLeftOutOf(result) })
  const notices = result.blocks.flatMap((block) => block.notices)
  return withLosses(format(output), notices)
}

/** AutoGen's words for a script that ran to its end, and ours otherwise. */
function outcomeText(result: CodeResult, output: string): string {
  const { exitCode, status, blocks } = result
  if (status === 'denied') return output.trimEnd()
  const outcome = `POSIX exit code: ${exitCode}${status === 'error' ? '' : `, status: ${status}`}`
  const unfinished = howItStopped(result)
  if (unfinished !== undefined) return `${unfinished} (${outcome})\nIts output was:\n${output}`
  const printed = blocks.flatMap((block) => (block.status === 'skipped' ? [] : block.output))
  if (printed.length > 0 && printed.join('').trim() === '') {
    return `${output.trim() === '' ? '' : `${output.trim()}\n`}The script ran but produced no output to console. The POSIX exit code was: ${exitCode}. If output was expected, print it.`
  }
  if (exitCode === 0) return output
  return `The script ran, then exited with an error (${outcome})\nIts output was:\n${output}`
}

/** For a script of which it would be wrong to say that it ran. */
function howItStopped({ status, blocks }: CodeResult): string | undefined {
  const hasBegun = blocks.some((block) => block.status !== 'invalid' && block.status !== 'skipped')
  switch (status) {
    case 'invalid':
      return hasBegun
        ? 'The script ran up to a block that cannot run'
        : 'The script was not run: it contains a block that cannot run'
    case 'cancelled':
      return hasBegun
        ? 'The script was cancelled before its end'
        : 'The script was cancelled before it was run'
    case 'died':
      return 'The executor of the script failed, so how far the script came is not known'
    default:
      return undefined
  }
}
