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

/** Says what is going to happen, before anything does. */
export function introduce({ words, facts, remark, rules }: Introduction, terminal: NodeJS.WriteStream): void {
  const width = widthOf(terminal)
  const notes: Fact[] = remark === undefined ? [] : [['note', remark]]
  const about = factLines([['model', words], ...facts, ...notes], width)
  const title = wrap('Fenced runs the code that a model writes.', width)
  const shownRules = typeof rules === 'string' ? `${wrap(rules, width)}\n` : factLines(rules, width)
  terminal.write(`${colors.bold(title)}\n\n${about}\n${shownRules}\n`)
}
