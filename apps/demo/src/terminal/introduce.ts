import { visible, visibleName } from '@fenced/core/text'
import type { Answer } from '../answer/read-answer.ts'
import { colors } from './colors.ts'
import { type Fact, factLines, widthOf } from './facts.ts'
import { wrap } from './wrap.ts'

export interface Introduction {
  /** Which model speaks. */
  readonly words: string
  /** Where its code runs. */
  readonly facts: readonly Fact[]
  readonly remark: string | undefined
  /** What may be typed, or why nobody is asked. */
  readonly rules: readonly Fact[] | string
}

/** What is going to happen, before anything does. */
export function introduce({ words, facts, remark, rules }: Introduction, terminal: NodeJS.WriteStream): void {
  const width = widthOf(terminal)
  const notes: Fact[] = remark === undefined ? [] : [['note', remark]]
  const about = factLines([['model', words], ...facts, ...notes], width)
  const shownRules = typeof rules === 'string' ? `${wrap(rules, width)}\n` : factLines(rules, width)
  terminal.write(`${title(width)}${about}\n${shownRules}\n`)
}

/** The same for an answer that is there already. */
export function introduceAnswer(
  { title: name, blocks }: Answer,
  place: readonly Fact[],
  terminal: NodeJS.WriteStream,
): void {
  const width = widthOf(terminal)
  const languages = blocks.map(({ language }) => visibleName(language) || 'no language').join(', ')
  const about: Fact[] = [['answer', visible(name)], ['blocks', languages], ...place]
  terminal.write(`${title(width)}${factLines(about, width)}\n`)
}

function title(width: number): string {
  return `${colors.bold(wrap('Fenced runs the code that a model writes.', width))}\n\n`
}
