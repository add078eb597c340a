import { wrapped } from '../show-run/prose-writer.ts'
import { type HumanInputRequest, whatEnterDoes } from './human-input.ts'

/** A question that says what Enter does, in lines of the width; the request's own where that is not known. */
export function plainQuestion({ prompt, partner, onEmpty }: HumanInputRequest, width: number): string {
  const question =
    onEmpty === undefined ? prompt : `Enter ${lowerFirst(whatEnterDoes(onEmpty))}.\n${whatElse(partner)}`
  // The answer is typed behind the last line, and needs room.
  const lines = question.trimEnd().split('\n')
  const last = lines.pop() ?? ''
  // Programs and files of a question stay as they are.
  const above = onEmpty === undefined ? lines : lines.map((line) => wrapped(line, width - 1))
  return `${[...above, wrapped(last, width - 1)].join('\n')} `
}

function whatElse(partner: string | undefined): string {
  return `A text answers${partner === undefined ? '' : ` ${partner}`}, exit ends:`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
