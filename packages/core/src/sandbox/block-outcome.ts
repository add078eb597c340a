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
      if (end.leftBehind === true) notice(leftBehind)
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
  message: 'Out of memory: the program was killed because it reached the `memoryBytes` limit of its sandbox.',
  data: { option: 'memoryBytes' },
}

const leftBehind = {
  code: 'left-behind',
  message:
    'A process that the program started has left its session and cleared its environment, and still holds the output of the program. It was not found and may go on; what it writes is not read any more.',
}
