import { readTask } from '../script/part.ts'
import { playConversation } from '../script/plays.ts'
import type { Work } from '../work/work.ts'
import { converse } from './converse.ts'

/** A model and a place that runs its code talk with each other. */
export const conversation: Work = {
  play: playConversation,
  readTask,
  rules: [
    ['Enter', 'goes on, and runs the code that there is'],
    ['exit', 'ends the conversation'],
    ['a text', 'is said to the model'],
    ['Ctrl-C', 'stops a program that runs; at any other time it leaves'],
  ],
  run: converse,
}
