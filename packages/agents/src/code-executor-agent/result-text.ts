import { boundedText, type CodeResult } from '@fenced/core'

/** What a model reads of a result, by AutoGen's rules: nothing printed, a failure, or just what was printed. */
export function resultText({ output, exitCode, status }: CodeResult, maxLength: number): string {
  if (output.trim() === '') {
    return `The script ran but produced no output to console. The POSIX exit code was: ${exitCode}. If output was expected, print it.`
  }
  const shown = boundedText(output, { maxLength })
  if (exitCode === 0) return shown
  const how = status === 'error' ? '' : `, status: ${status}`
  return `The script ran, then exited with an error (POSIX exit code: ${exitCode}${how})\nIts output was:\n${shown}`
}

/** What a model reads of code that was not to be run. */
export function denialText(reason: string): string {
  return `Code execution was not approved. Reason: ${reason}`
}
