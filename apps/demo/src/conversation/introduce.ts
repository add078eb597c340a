import { colors } from '../terminal/colors.ts'
import { type Fact, factLines, widthOf } from '../terminal/facts.ts'
import { wrap } from '../terminal/wrap.ts'

export interface Introduction {
  /** Which model speaks. */
  readonly words: string
  /** Where its code runs. */
  readonly facts: readonly Fact[]
  readonly remark: string | undefined
  /** Whether somebody is asked before anything is run. */
  readonly asks: boolean
}

/** Says what is going to happen, before anything does. */
export function introduce({ words, facts, remark, asks }: Introduction, terminal: NodeJS.WriteStream): void {
  const width = widthOf(terminal)
  const notes: Fact[] = remark === undefined ? [] : [['note', remark]]
  const about = factLines([['model', words], ...facts, ...notes], width)
  const title = wrap('Fenced runs the code that a model writes.', width)
  const rules = asks ? factLines(rulesOfQuestions, width) : `${wrap(ruleWithoutQuestions, width)}\n`
  terminal.write(`${colors.bold(title)}\n\n${about}\n${rules}\n`)
}

const rulesOfQuestions: readonly Fact[] = [
  ['Enter', 'goes on, and runs the code that there is'],
  ['exit', 'ends the conversation'],
  ['a text', 'is said to the model'],
  ['Ctrl-C', 'stops a program that runs; at any other time it leaves'],
]

const ruleWithoutQuestions = 'Nobody is asked: all code is run.'
