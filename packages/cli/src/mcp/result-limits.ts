import { exitCodes } from '@fenced/core'
import { boundedOutput, toolOutputSchema } from '@fenced/core/internal'
import type { ToolOutput } from '@fenced/core/tool'
import { z } from '@fenced/core/zod'

/** Maximum length of the output in a result, in UTF-16 code units: as in its text, which a model reads. */
const mostOutput = 16_000
/** Maximum number of listed names: they appear twice in the context of a model. */
export const mostNames = 500
/** Maximum length of listed names together, in UTF-16 code units. */
const mostCharacters = 20_000

/** The result of a program as data. */
export const resultSchema = toolOutputSchema().extend({
  omittedCharacters: z
    .int()
    .optional()
    .describe('Number of characters left out of `output`, between its beginning and its end.'),
  run: z.string().optional().describe('If the program still runs: pass it to `get_run` or `cancel_run`.'),
  omittedFiles: z.int().optional().describe('How many further files are not named.'),
})

/** A program's output as data within the limits of its text: some clients give a model the data. */
export function limitedResult({ output, files, ...rest }: ToolOutput): z.output<typeof resultSchema> {
  // A shorter output is left as it is: boundedText drops the earlier states of a progress bar.
  const { text, omittedCharacters } =
    output.length <= mostOutput
      ? { text: output, omittedCharacters: 0 }
      : boundedOutput(output, { maxLength: mostOutput, bytesLeftOut: rest.droppedBytes })
  const named = firstOf(files, ({ path }) => path.length)
  return {
    ...rest,
    output: text,
    ...(omittedCharacters > 0 ? { omittedCharacters } : {}),
    files: [...named],
    ...(named.length < files.length ? { omittedFiles: files.length - named.length } : {}),
  }
}

/** The first entries, as many as a model is shown. @param lengthOf - how many characters of an entry it is shown. */
export function firstOf<Entry>(
  entries: readonly Entry[],
  lengthOf: (entry: Entry) => number,
): readonly Entry[] {
  let left = mostCharacters
  const end = entries.findIndex((entry, index) => {
    left -= lengthOf(entry)
    return left < 0 || index === mostNames
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** The output of a program that was stopped at its time limit: with its reason in place of the cancellation. */
export function stoppedAtLimit(output: ToolOutput, limitMs: number): ToolOutput {
  const message = `Timeout: the program was stopped at its limit of ${limitMs / 1_000} s. Run long work in parts, or start \`fenced mcp\` with a longer \`--timeout\`.`
  const notice = { code: 'timeout', message, data: { limitMs: `${limitMs}`, option: '--timeout' } }
  const reason = `${output.error ?? ''}\n`
  const printed = output.output.endsWith(reason) ? output.output.slice(0, -reason.length) : output.output
  return {
    ...output,
    ...{ status: 'timeout', exitCode: exitCodes.timeout, error: message, output: `${printed}${message}\n` },
    notices: [...output.notices.filter(({ code }) => code !== 'cancelled'), notice],
  }
}
