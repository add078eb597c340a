import { playRepair } from '../script/plays.ts'
import { readRepairTask } from '../script/repair-part.ts'
import type { Work } from '../work/work.ts'
import { repair } from './repair.ts'

/** One agent mends its own programs until they work. */
export const repairing: Work = {
  play: playRepair,
  readTask: readRepairTask,
  rules: [
    ['y', 'runs the program that is shown'],
    ['c', 'runs it, also when exactly this one comes again'],
    ['a', 'runs it, and all that come'],
    ['n', 'does not run it; so does a text, and the model reads it'],
    ['Ctrl-C', 'stops a program that runs; at any other time it leaves'],
  ],
  run: repair,
}
