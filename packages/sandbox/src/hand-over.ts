import { posix } from 'node:path'
import type { PreparedBlock } from '@fenced/core/driver'
import type { Sandbox } from '@fenced/core/sandbox'
import type { FoundInterpreter } from './interpreters.ts'

/** How an interpreter is given a program. */
export interface Handover {
  /** What is started; {@link Handover.path} follows it. */
  readonly command: FoundInterpreter['command']
  /** The program's file. */
  readonly path: string
  /** Whether the command holds the program, so that nothing reads the file. */
  readonly tookContent: boolean
}

/** The longest program that is an argument, in bytes: Linux takes 128 KiB for one argument. */
const longestArgument = 100_000

/**
 * Decides how an interpreter is given a program: the file lies where other processes of the sandbox can write. A shell takes the program as an
 * argument (`sh -c PROGRAM PATH`) where arguments can be read in the sandbox only, unless the block names its file. The resident Python takes the
 * program over its stream. All others read the file, which is compared before and after.
 */
export function handOver(
  { content, path, hasFileName }: Pick<PreparedBlock, 'content' | 'path' | 'hasFileName'>,
  command: FoundInterpreter['command'],
  { capabilities }: Pick<Sandbox, 'capabilities'>,
): Handover {
  const isPrivate = capabilities.isolation !== 'none'
  const isShell = command.length === 1 && /^(ba|da|k|z)?sh$/.test(posix.basename(command[0]))
  const fits = Buffer.byteLength(content) <= longestArgument && !content.includes('\0')
  return isPrivate && isShell && fits && !hasFileName
    ? { command: [...command, '-c', content], path, tookContent: true }
    : { command, path, tookContent: false }
}
