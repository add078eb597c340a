import type { Notice } from '../code-result.ts'
import type { BlockIo, BlockOutcome } from '../engine/driver.ts'
import { exitCodes } from '../exit-codes.ts'
import type { ProcessEnd } from './sandbox-process.ts'

/** What the end of a block's process is to the engine, with the notices that a reader of the result needs. */
export function outcomeOf(end: ProcessEnd, { notice }: Pick<BlockIo, 'notice'>): BlockOutcome {
  switch (end.kind) {
    case 'not-started':
      notice({ code: 'not-started', message: end.message, ...dataOf(end) })
      return {
        status: 'invalid',
        exitCode: end.reason === 'not-found' ? exitCodes.notFound : exitCodes.notExecutable,
      }
    case 'lost':
    case 'stuck':
      notice({ code: 'died', message: end.message, ...dataOf(end) })
      return { status: 'died' }
    case 'exited':
      if (end.leftBehind === true) notice(leftBehindNotice)
      if (end.outOfMemory !== true)
        return { exitCode: end.exitCode, ...(end.wasStopped ? {} : { endedByItself: true }) }
      notice(outOfMemory)
      return { status: 'out-of-memory' }
  }
}

function dataOf({ data }: Pick<Notice, 'data'>): Pick<Notice, 'data'> {
  return data === undefined ? {} : { data }
}

const outOfMemory = {
  code: 'out-of-memory',
  message: 'Out of memory: the program was killed because it reached the memory limit of its sandbox.',
  // The name of the option differs between sandboxes.
  data: { limit: 'memoryBytes' },
}

/** Says that something of a program may still run. */
export const leftBehindNotice: Notice = {
  code: 'left-behind',
  message:
    'A process that the program started may still be running: it left its session and cleared its environment, or belongs to another user. Fenced did not end it, and does not read what it writes. Look for it with `ps`, and end it.',
}
