import { randomUUID } from 'node:crypto'
import { shortened, visibleJson, visibleName } from '@fenced/errors/text'
import { type PlaceOfCode, targetOf } from '../../approval/approval-target.ts'
import type { FileRequest, ProcessRequest } from '../../approval/ask-requests.ts'
import { withDigest } from '../../approval/digest.ts'
import type { SpawnOptions } from '../../sandbox/sandbox-process.ts'

/** Limit for a command in the sentence of a question, in characters. The request has all of it. */
const longestCommand = 500

/** The question before a process starts in a sandbox. */
export function processRequest(
  place: PlaceOfCode,
  command: readonly string[],
  { cwd, env = {} }: Pick<SpawnOptions, 'cwd' | 'env'>,
): ProcessRequest {
  const target = targetOf(place)
  const names = Object.keys(env).sort()
  const shown = shortened(command.map(quoted).join(' '), longestCommand)
  return withDigest({
    kind: 'process' as const,
    id: randomUUID(),
    question: `May the process ${shown} start ${target.description} (${target.executor})?`,
    command,
    ...(cwd === undefined ? {} : { workDir: cwd }),
    ...(names.length === 0 ? {} : { env: names }),
    target,
  })
}

/** A change of a file, without its question. */
export type FileChange = Pick<FileRequest, 'action' | 'path' | 'newPath' | 'overwrite' | 'file' | 'mode'>

/** The question before a file in a sandbox is changed. */
export function fileRequest(place: PlaceOfCode, change: FileChange): FileRequest {
  const target = targetOf(place)
  return withDigest({
    kind: 'file' as const,
    id: randomUUID(),
    question: `May ${changeText(change)} ${target.description} (${target.executor})?`,
    ...change,
    target,
  })
}

function changeText({ action, path, newPath = '', overwrite = false, file, mode }: FileChange): string {
  const name = visibleName(path)
  if (action === 'make-directory') return `the directory ${name} be made`
  if (action === 'remove') return `${name} be removed, with everything in it,`
  if (action === 'move' || action === 'copy') {
    const done = action === 'move' ? 'moved' : 'copied'
    const replaced = overwrite ? ', replacing any file there,' : ''
    return `${name} be ${done} to ${visibleName(newPath)}${replaced}`
  }
  const permissions = mode === undefined ? '' : ` with the permissions ${mode.toString(8)}`
  return `the file ${name} (${file?.sizeBytes ?? 0} bytes) be written${permissions}`
}

/** An argument unchanged, or as JSON, so that different commands never look the same. */
function quoted(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument
  return visibleName(visibleJson([argument]).slice(1, -1))
}
