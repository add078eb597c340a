import { isAbsolute, relative } from 'node:path'
import type { BlockResult, CodeExecutor, Notice } from '@fenced/core'

/** Messages of Python, Node and shells for a path that a program cannot open. */
const symptoms = [
  /(?:No such file or directory|Permission denied|Read-only file system)(?:: |, \w+ )'([^'\n]+)'/i,
  /(?:^|[\s:])'?([^\s:']+)'?: (?:No such file|Directory nonexistent|Permission denied|Read-only file system)/im,
]

/** What {@link missingFileNotice} must know beside the block. */
interface WhereItRan {
  readonly executor: Pick<CodeExecutor, 'capabilities' | 'sandbox' | 'workDir'>
  /** Whether the user named the working directory. */
  readonly hasWorkDir: boolean
}

/**
 * A notice for a block that failed at a file outside of its working directory; `undefined` for other blocks. Nothing looks whether this machine
 * has the file: a program must not learn that from the notice.
 */
export function missingFileNotice(
  { status, stderr }: BlockResult,
  { executor, hasWorkDir }: WhereItRan,
): Notice | undefined {
  if (status !== 'error' || executor.capabilities.isolation === 'none') return undefined
  const path = symptoms.map((symptom) => symptom.exec(stderr)?.[1]).find((found) => found !== undefined)
  if (path === undefined || !isOutside(path, executor, hasWorkDir)) return undefined
  return {
    code: 'outside-work-dir',
    message: `The program could not use ${path}. It has only its working directory: --work-dir DIRECTORY makes a directory of this machine, with its files, the working directory.`,
    data: { path },
  }
}

/** A relative path is outside where the user may have meant a directory of their own. */
function isOutside(path: string, { sandbox, workDir }: WhereItRan['executor'], hasWorkDir: boolean): boolean {
  if (!isAbsolute(path)) return !hasWorkDir
  const directories = [sandbox?.directory, workDir].filter((directory) => directory !== undefined)
  return directories.every((directory) => /^\.\.(?:\/|$)/.test(relative(directory, path)))
}
