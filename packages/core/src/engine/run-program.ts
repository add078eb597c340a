import type { BlockResult } from '../code-result.ts'
import type { FileListing, WorkDirectory } from '../work-directory/work-directory.ts'
import {
  type FileChanges,
  fileChanges,
  fileContent,
  lastingFileName,
  openWorkDirectory,
  temporaryFileName,
} from './block-files.ts'
import type { BlockReport } from './block-report.ts'
import { type DriveContext, stopped } from './drive.ts'
import type { EngineContext } from './engine-context.ts'
import type { RunPlan } from './plan-block.ts'
import { prepareDriver } from './prepare-driver.ts'
import { driveWithPackages } from './python-packages.ts'

/** What a block came to, and which files it took away. */
export interface RanBlock {
  readonly result: BlockResult
  readonly removedFiles: readonly string[]
}

/** Runs a program in the place: writes its file, gives it to the driver, looks up what it left. */
export async function runProgram(plan: RunPlan, context: DriveContext): Promise<RanBlock> {
  const { place, report, stop } = context
  await prepareDriver(plan.language, context)
  if (stop.cause !== undefined) {
    return { result: report.finish(stopped(stop.cause, context)), removedFiles: [] }
  }
  if (place.driver.workDirectory === undefined) {
    return {
      result: report.finish(await driveWithPackages({ ...plan, path: '' }, context)),
      removedFiles: [],
    }
  }
  const workDirectory = await openWorkDirectory(place, report)
  const { name, stays } = programFile(plan, place)
  const path =
    name === undefined ? '' : await workDirectory.write(name, fileContent(plan.code, plan.language))
  try {
    const before = await workDirectory.list()
    const hasChangedFiles = async () => {
      const after = await workDirectory.list()
      if (before === undefined || after === undefined) return true
      const { files, removedFiles } = fileChanges(before, after, workDirectory)
      return files.length + removedFiles.length > 0
    }
    const end = await driveWithPackages({ ...plan, path }, { ...context, hasChangedFiles })
    await report.resultsSaved()
    const { files, removedFiles } = await changesSince(before, workDirectory, report)
    const result =
      stays && name !== undefined
        ? report.finish({ ...end, files, file: name })
        : report.finish({ ...end, files: files.filter((file) => file.path !== name) })
    return { result, removedFiles }
  } finally {
    // A file that cannot be removed is not worth the result.
    if (!stays && name !== undefined) await workDirectory.remove(name).catch(() => {})
  }
}

function programFile(
  { fileName, language }: RunPlan,
  { driver, options }: EngineContext,
): { name?: string; stays: boolean } {
  if (fileName !== undefined) return { name: fileName, stays: true }
  if (driver.takesText === true) return { stays: false }
  return options.cleanupTempFiles
    ? { name: temporaryFileName(language), stays: false }
    : { name: lastingFileName(language), stays: true }
}

async function changesSince(
  before: FileListing | undefined,
  workDirectory: WorkDirectory,
  report: BlockReport,
): Promise<FileChanges> {
  const after = await workDirectory.list()
  if (before !== undefined && after !== undefined) {
    const changes = fileChanges(before, after, workDirectory)
    // Everybody who can reach the directory would get the rights of the user who runs the code, which can be root.
    for (const { path } of changes.files) if (after.get(path)?.setsId) workDirectory.clearSetId(path)
    return changes
  }
  report.notice({
    code: 'files-not-listed',
    message: `The working directory ${workDirectory.path} holds too many files, so what the code made is not listed.`,
  })
  return { files: [], removedFiles: [] }
}
