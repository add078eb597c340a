import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { ProcessEnd } from '../../sandbox/sandbox-process.ts'
import type { Notice } from '../../vocabulary/code-result.ts'
import { exitCodes } from '../../vocabulary/exit-codes.ts'
import type { BlockIo, BlockOutcome } from '../driver.ts'

/** The parts of a sandbox that explain its count of memory kills. */
type BoundedSandbox = Pick<Sandbox, 'capabilities' | 'limitsInForce'>

/**
 * Converts the end of a block's process to an outcome, and adds notices to the result.
 *
 * @param sandbox - The process's sandbox. If absent, memory kills of other processes are not reported.
 */
export function outcomeOf(
  end: ProcessEnd,
  { notice }: Pick<BlockIo, 'notice'>,
  sandbox?: BoundedSandbox,
): BlockOutcome {
  switch (end.kind) {
    case 'not-started':
      notice(noticeOf('not-started', end))
      return {
        status: 'invalid',
        exitCode: end.reason === 'not-found' ? exitCodes.notFound : exitCodes.notExecutable,
      }
    case 'lost':
    case 'stuck':
      notice(noticeOf('died', end))
      return { status: 'died' }
    case 'exited':
      if (end.leftBehind === true) notice(leftBehindNotice)
      if (end.outOfMemory === true) {
        notice(outOfMemory)
        return { status: 'out-of-memory' }
      }
      if (sandbox !== undefined) tellMemoryKills(end, { notice }, sandbox)
      return { exitCode: end.exitCode, ...(end.wasStopped ? {} : { endedByItself: true }) }
  }
}

/** Returns a notice with the message and the data of an error, or of the end of a process. */
export function noticeOf(
  code: Notice['code'],
  { message, data }: { readonly message: string; readonly data?: Notice['data'] | undefined },
): Notice {
  return { code, message, ...(data === undefined ? {} : { data }) }
}

const outOfMemory = {
  code: 'out-of-memory',
  message: 'Out of memory: the program was killed because it reached the memory limit of its sandbox.',
  // The name of the option differs between sandboxes.
  data: { limit: 'memoryBytes' },
}

/** Says that the kernel killed another process than the program because memory ran out. */
export function tellMemoryKills(
  { memoryKills = 0 }: { readonly memoryKills?: number },
  { notice }: Pick<BlockIo, 'notice'>,
  { capabilities, limitsInForce }: BoundedSandbox,
): void {
  // Without isolation the count includes processes that Fenced did not start.
  if (memoryKills === 0 || capabilities.isolation === 'none') return
  const bytes = limitsInForce?.memoryBytes
  const limit = bytes === undefined ? '' : ` Its memory limit is ${bytes} bytes.`
  notice({
    code: 'process-out-of-memory',
    message: `A process in the sandbox was killed while the program ran, because memory ran out.${limit} The result may be incomplete. Make the program use less memory.`,
    ...(bytes === undefined ? {} : { data: { limit: 'memoryBytes', limitBytes: `${bytes}` } }),
  })
}

/** Says that something of a program may still run. */
export const leftBehindNotice: Notice = {
  code: 'left-behind',
  message:
    'A process that the program started may still be running: it left its session and cleared its environment, or it belongs to another user. Fenced did not stop it and does not read its output. Find it with `ps` and stop it.',
}
