import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { OutputFile } from '../code-result.ts'
import type { Language } from '../language/language.ts'
import type { FileListing, WorkDirectory } from '../work-directory/work-directory.ts'
import type { BlockReport } from './block-report.ts'
import type { EngineContext } from './engine-context.ts'

/** The working directory, made anew when an earlier program or somebody else removed it. */
export async function openWorkDirectory(
  { driver, name }: EngineContext,
  report: BlockReport,
): Promise<WorkDirectory> {
  const { workDirectory } = driver
  if (workDirectory === undefined) throw new Error(`The executor "${name}" has no working directory.`)
  if (!(await workDirectory.open())) {
    report.notice({
      code: 'work-dir-recreated',
      message: `The working directory ${workDirectory.path} had been removed. It was made again and is empty: files of earlier blocks are lost.`,
    })
  }
  return workDirectory
}

/** A name that no other call uses: the same code in two calls at once must not share a file. */
export function temporaryFileName({ extension }: Language): string {
  // Hidden, so that a program that looks around finds its data and not itself.
  return `.fenced-${randomDigits(12)}.${extension}`
}

/** A name that stays, for a program or a document that has none of its own. */
export function lastingFileName({ extension }: Language): string {
  return `block-${randomDigits(8)}.${extension}`
}

/** At most twelve, hexadecimal. Of UUIDs Node keeps a stock, other randomness it fetches each time. */
function randomDigits(count: number): string {
  return randomUUID().slice(-count)
}

/** What is written into a file: the block's text, ended by a line ending. */
export function fileContent(code: string, { byteOrderMark }: Language): string {
  return `${byteOrderMark === true ? '\uFEFF' : ''}${code}${code.endsWith('\n') ? '' : '\n'}`
}

/** Where a file of the working directory is. */
export function located(
  path: string,
  { hostPath }: WorkDirectory,
): Pick<OutputFile, 'path' | 'absolutePath'> {
  return hostPath === undefined ? { path } : { path, absolutePath: join(hostPath, path) }
}

/** The files that a program created, changed and removed. */
export interface FileChanges {
  readonly files: readonly OutputFile[]
  readonly removedFiles: readonly string[]
}

export function fileChanges(
  before: FileListing,
  after: FileListing,
  workDirectory: WorkDirectory,
): FileChanges {
  const files: OutputFile[] = []
  for (const [path, { sizeBytes, version }] of after) {
    const known = before.get(path)
    if (known?.version === version) continue
    files.push({
      ...located(path, workDirectory),
      sizeBytes,
      change: known === undefined ? 'created' : 'changed',
    })
  }
  return { files, removedFiles: [...before.keys()].filter((path) => !after.has(path)) }
}
