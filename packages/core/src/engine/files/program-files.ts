import { randomUUID } from 'node:crypto'
import type { OutputFile } from '../../vocabulary/code-result.ts'
import type { HostWorkDirectory } from '../../work-directory/host-work-directory.ts'
import { temporaryFileName } from '../../work-directory/temporary-files.ts'
import type { FileListing } from '../../work-directory/work-directory.ts'
import type { PreparedBlock } from '../driver.ts'
import type { EngineContext } from '../engine-context.ts'
import type { BlockRecorder } from '../output/block-recorder.ts'
import type { RunPlan, SavePlan } from '../plan/plan-block.ts'
import {
  type FileChanges,
  fileChanges,
  listIsCut,
  located,
  notListed,
  unlistedChanges,
} from './file-changes.ts'
import { mayReadOwnFile } from './own-file.ts'
import { programText } from './program-text.ts'

const noChanges: FileChanges = { files: [], removedFiles: [] }

/** Writes a program into its file, where its driver wants one. */
export async function writeProgram(
  plan: RunPlan,
  engine: EngineContext,
  recorder: BlockRecorder,
): Promise<ProgramFiles> {
  const content = programText(plan.code, plan.language)
  const block = { ...plan, content }
  if (engine.driver.workDirectory === undefined) return new ProgramFiles({ ...block, path: '' })
  const workDirectory = await openWorkDirectory(engine, recorder)
  const file = programFile(plan, engine)
  const path = file.name === undefined ? '' : workDirectory.pathOf(file.name)
  const program = new ProgramFiles({ ...block, path, isWritten: !file.isLater }, { workDirectory, ...file })
  if (!file.isLater) await program.write()
  return program
}

/** Writes a block that is a document into the work directory, as AutoGen does with HTML and CSS. */
export async function saveDocument(
  plan: SavePlan,
  engine: EngineContext,
  recorder: BlockRecorder,
): Promise<{ readonly file: string; readonly files: readonly OutputFile[] }> {
  const workDirectory = await openWorkDirectory(engine, recorder)
  const name = plan.fileName ?? lastingFileName(plan)
  const change = workDirectory.has(name) ? 'changed' : 'created'
  const content = programText(plan.code, plan.language)
  const path = await workDirectory.write(name, content)
  recorder.addLine(`Code saved to ${path}`)
  return {
    file: name,
    files: [{ ...located(name, workDirectory), sizeBytes: Buffer.byteLength(content), change }],
  }
}

interface ProgramFile {
  readonly workDirectory: HostWorkDirectory
  /** Relative to the work directory. */
  readonly name: string | undefined
  /** Whether it is still there after the run. */
  readonly stays: boolean
  /** Whether it is written only for a driver that needs it. */
  readonly isLater: boolean
}

/** A program as its driver is given it, and the files around it. Disposing it removes its file, unless that stays. */
export class ProgramFiles implements AsyncDisposable {
  readonly block: PreparedBlock
  readonly #file: ProgramFile | undefined
  #isWritten = false

  constructor(block: PreparedBlock, file?: ProgramFile) {
    this.block = block
    this.#file = file
  }

  /** The name of the program's file, where it stays: as the result has it. */
  get lasting(): { readonly file?: string } {
    const { name, stays } = this.#file ?? {}
    return stays && name !== undefined ? { file: name } : {}
  }

  /** Whether there is a file, or was. */
  get isWritten(): boolean {
    return this.#isWritten
  }

  /** Writes its file, where it has one, once. */
  async write(): Promise<void> {
    const { workDirectory, name } = this.#file ?? {}
    if (this.#isWritten || name === undefined) return
    await workDirectory?.write(name, this.block.content)
    this.#isWritten = true
  }

  /** Whether its file, where it has one, does not hold what was written into it. */
  async hasFileChanged(): Promise<boolean> {
    const { workDirectory, name } = this.#file ?? {}
    if (workDirectory === undefined || name === undefined) return false
    return !(await workDirectory.holds(name, this.block.content))
  }

  /** Whether its temporary file is not there any longer. */
  get hasLostFile(): boolean {
    const { workDirectory, name, stays } = this.#file ?? {}
    return this.#isWritten && stays === false && name !== undefined && workDirectory?.has(name) === false
  }

  /** See {@link HostWorkDirectory.version}. */
  get version(): string | undefined {
    const { workDirectory, name } = this.#file ?? {}
    return name === undefined ? undefined : workDirectory?.version?.(name)
  }

  /** Lists the files of the work directory. `undefined` for too many files, and without a directory. */
  async list(): Promise<FileListing | undefined> {
    return this.#file?.workDirectory.list()
  }

  /** Whether the program has changed files; also where that is not known. */
  async haveChangedSince(before: FileListing | undefined): Promise<boolean> {
    if (this.#file === undefined) return false
    const { workDirectory, name, stays } = this.#file
    const after = await this.list()
    if (before === undefined || after === undefined) return true
    const { files: all, removedFiles } = fileChanges(before, after, workDirectory)
    const files = stays ? all : all.filter(({ path }) => path !== name)
    return files.length + removedFiles.length + this.#unlisted(before, after).length > 0
  }

  /** Returns the changes of the program, without its temporary file. */
  async changesSince(before: FileListing | undefined, recorder: BlockRecorder): Promise<FileChanges> {
    if (this.#file === undefined) return noChanges
    const { workDirectory, name, stays } = this.#file
    // A file that is missing in the list before may have been there.
    const after = before === undefined ? undefined : await workDirectory.listFirst()
    if (after === undefined || after.isCut) {
      recorder.notice(listIsCut(workDirectory.path))
      await clearWhatIsNotListed(workDirectory)
    }
    if (before === undefined || after === undefined) return noChanges
    const unlisted = this.#unlisted(before, after)
    if (unlisted.length > 0) {
      recorder.notice(notListed(unlisted))
      await clearWhatIsNotListed(workDirectory)
    }
    const { files, removedFiles } = fileChanges(before, after, workDirectory)
    // Every user who can reach the directory would get the rights of the code's user, who can be root.
    for (const { path } of files) if (after.get(path)?.setsId) workDirectory.clearSetId(path)
    return { files: stays ? files : files.filter(({ path }) => path !== name), removedFiles }
  }

  /** Something else may be in the place of its own file, which {@link hasFileChanged} tells. */
  #unlisted(before: FileListing, after: FileListing): string[] {
    return unlistedChanges(before, after).filter((path) => path !== this.#file?.name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { workDirectory, name, stays } = this.#file ?? {}
    // A file that cannot be removed is not worth the result.
    if (!stays && name !== undefined) await workDirectory?.remove(name).catch(() => {})
  }
}

/** Where other programs move directories meanwhile, `stop` does it. */
async function clearWhatIsNotListed(workDirectory: HostWorkDirectory): Promise<void> {
  await workDirectory.clearSetIds().catch(() => {})
}

/** Opens the work directory, and recreates it when an earlier program or another process removed it. */
async function openWorkDirectory(
  { driver, lease, name }: EngineContext,
  recorder: BlockRecorder,
): Promise<HostWorkDirectory> {
  const { workDirectory } = driver
  if (workDirectory === undefined) throw new Error(`The executor "${name}" has no working directory.`)
  if (!(await workDirectory.open())) {
    recorder.notice({
      code: 'work-dir-recreated',
      message: `The working directory ${workDirectory.path} had been removed. It was recreated and is empty: files of earlier blocks are lost.`,
      data: { path: workDirectory.path },
    })
  }
  lease.take(workDirectory.hostPath)
  return workDirectory
}

function programFile(
  { fileName, extension, language, code }: RunPlan,
  { driver, options }: EngineContext,
): Omit<ProgramFile, 'workDirectory'> {
  if (fileName !== undefined) return { name: fileName, stays: true, isLater: false }
  if (driver.takesText === true) return { name: undefined, stays: false, isLater: false }
  if (!options.cleanupTempFiles) return { name: lastingFileName({ extension }), stays: true, isLater: false }
  const isLater = driver.languagesWithoutFile?.includes(language.id) === true
  return {
    // Hidden, because some programs have a file all the same.
    name: temporaryFileName(extension),
    stays: false,
    isLater: isLater && !mayReadOwnFile(code, language.id),
  }
}

/** A lasting name for an unnamed program or document. */
function lastingFileName({ extension }: Pick<RunPlan, 'extension'>): string {
  return `block-${randomUUID().slice(-8)}.${extension}`
}
