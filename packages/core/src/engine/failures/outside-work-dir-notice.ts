import { basename, isAbsolute, relative } from 'node:path'
import type { Notice } from '../../vocabulary/code-result.ts'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'
import { temporaryName } from '../../work-directory/temporary-directories.ts'
import { withAdvice } from './operator-advice.ts'

/** Messages of Python, Node and shells for a path that a program cannot open. A path has at most 4,096 bytes on Linux. */
const symptoms = [
  /(?:No such file or directory|Permission denied|Read-only file system)(?:: |, \w+ )'([^'\n]{1,4096})'/i,
  /(?:^|[\s:])'?([^\s:']{1,4096})'?: (?:No such file|Directory nonexistent|Permission denied|Read-only file system)/im,
]

/**
 * A notice for an isolated program that failed at a file outside of its working directory; `undefined` for other failures. The host
 * is not searched for the file: a program must not learn from the notice which files exist there.
 */
export function outsideWorkDirNotice(
  stderr: string,
  directory: Pick<HostWorkDirectory, 'hostPath' | 'path' | 'isTemporary'> | undefined,
): Notice | undefined {
  const path = symptoms.map((symptom) => symptom.exec(stderr)?.[1]).find((found) => found !== undefined)
  if (path === undefined || directory === undefined || !isOutside(path, directory)) return undefined
  return withAdvice(
    {
      code: 'outside-work-dir',
      message: `The program could not use ${path}. Isolated code can use only its working directory. Put the file there.`,
      data: { path },
    },
    'Or use the directory that contains the file as the working directory (option `workDir`, or `--work-dir DIRECTORY` for `fenced run` and `fenced mcp`).',
  )
}

/** A relative path is outside where its author may have meant another directory than a temporary one. A single word can be a command. */
function isOutside(
  path: string,
  { hostPath, path: inside, isTemporary }: Pick<HostWorkDirectory, 'hostPath' | 'path' | 'isTemporary'>,
): boolean {
  // A pool makes temporary directories for its executors, which then have a named one.
  const isUnnamed = isTemporary || temporaryName.test(basename(hostPath))
  if (!isAbsolute(path)) return isUnnamed && /[./]/.test(path)
  return [inside, hostPath].every((directory) => /^\.\.(?:\/|$)/.test(relative(directory, path)))
}
