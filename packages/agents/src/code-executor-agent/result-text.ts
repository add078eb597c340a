import type { CodeResult } from '@fenced/core'
import { boundedText } from '@fenced/core/tool'

/** What a model reads of a result: AutoGen's words for a script that ran, others for one that did not, or not to its end. */
export function resultText(result: CodeResult, maxLength: number): string {
  const { output, exitCode, status } = result
  const shown = boundedText(output, { maxLength })
  if (status === 'denied') return shown
  const outcome = `POSIX exit code: ${exitCode}${status === 'error' ? '' : `, status: ${status}`}`
  const unfinished = howItStopped(result)
  if (unfinished !== undefined) return `${unfinished} (${outcome})\nIts output was:\n${shown}`
  if (output.trim() === '') {
    return `The script ran but produced no output to console. The POSIX exit code was: ${exitCode}. If output was expected, print it.`
  }
  if (exitCode === 0) return shown
  return `The script ran, then exited with an error (${outcome})\nIts output was:\n${shown}`
}

/** For a script of which it would be wrong to say that it ran. */
function howItStopped({ status, blocks }: CodeResult): string | undefined {
  const hasBegun = blocks.some((block) => block.status !== 'invalid' && block.status !== 'skipped')
  switch (status) {
    case 'invalid':
      return hasBegun
        ? 'The script ran up to a block that cannot be run as it stands'
        : 'The script was not run: it cannot be run as it stands'
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
