import { isolationText } from '@fenced/core/internal'
import { wrapped } from '../show-run/prose-writer.ts'
import type { EmptyAnswer, HumanInputRequest } from './human-input.ts'

/** A question that says what Enter does, in lines of the width; the request's own where that is not known. */
export function plainQuestion({ prompt, partner, onEmpty }: HumanInputRequest, width: number): string {
  const question = onEmpty === undefined ? prompt : `${whatEnterDoes(onEmpty)}\n${whatElse(partner)}`
  // The answer is typed behind the last line, and needs room.
  const lines = question.trimEnd().split('\n')
  const last = lines.pop() ?? ''
  // Programs and files of a question stay as they are.
  const above = onEmpty === undefined ? lines : lines.map((line) => wrapped(line, width - 1))
  return `${[...above, wrapped(last, width - 1)].join('\n')} `
}

function whatEnterDoes(answer: EmptyAnswer): string {
  switch (answer.action) {
    case 'run-code': {
      const programs = answer.programs === 1 ? 'it' : `the ${answer.programs} programs`
      return `Enter runs ${programs} ${isolationText(answer)}${answer.ends ? ', and ends the conversation' : ''}.`
    }
    case 'call-tools':
      return 'Enter calls the tools.'
    case 'reply':
      return 'Enter goes on.'
    case 'end':
      return 'Enter ends the conversation.'
  }
}

function whatElse(partner: string | undefined): string {
  return `A text answers${partner === undefined ? '' : ` ${partner}`}, exit ends:`
}
