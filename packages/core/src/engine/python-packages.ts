import { stripVTControlCharacters } from 'node:util'
import type { Notice } from '../code-result.ts'
import { type Distribution, distributionOf } from './distribution-names.ts'
import { abandoned, type DriveContext, type DriveEnd, drive, stopped } from './drive.ts'
import type { PreparedBlock } from './driver.ts'
import { unlessAbandoned } from './unless-abandoned.ts'

/** So many packages may turn out to be missing, one after the other, while one block is run. */
const maxInstallations = 10

/**
 * Drives a block. Where it failed for want of a package, says how to get it; where the package may be installed,
 * installs it and drives the block once more, unless it has changed files.
 */
export async function driveWithPackages(block: PreparedBlock, context: DriveContext): Promise<DriveEnd> {
  const { report, stop } = context
  const installed = new Set<string>()
  for (;;) {
    const end = await drive(block, context)
    const missing = missingPackage(block, end, context)
    if (missing === undefined) return end
    const wanted = installable(missing, context)
    const isEnough = installed.size === maxInstallations || stop.cause !== undefined
    if (wanted === undefined || installed.has(wanted) || isEnough) {
      report.notice(await hint(missing, context))
      return end
    }
    const failure = await install(wanted, context)
    if (failure === 'abandoned') return { ...end, ...abandoned(context) }
    if (stop.cause !== undefined) return { ...end, ...stopped(stop.cause, context) }
    if (failure !== undefined) {
      report.notice(await hint(missing, context))
      report.notice(failure)
      return end
    }
    installed.add(wanted)
    if ((await context.hasChangedFiles?.()) === true) {
      report.notice(installedForNextTime(missing, wanted))
      return end
    }
    report.startOver()
    report.notice(installedNotice(missing, wanted))
  }
}

/** A place that hands on two streams apart may tell the traceback before what was printed earlier. */
function missingPackage(
  { language }: PreparedBlock,
  { status }: DriveEnd,
  { report }: DriveContext,
): MissingPackage | undefined {
  if (status !== 'error' || language.id !== 'python') return undefined
  return findMissingPackage(report.errorText) ?? findMissingPackage(report.text)
}

function installable({ distribution }: MissingPackage, { place }: DriveContext): string | undefined {
  const { missingPackages, installablePackages } = place.options
  return missingPackages === 'install' ? installableAs(distribution.name, installablePackages) : undefined
}

/** Says why it failed; `undefined` when it went well, or when the block was stopped meanwhile. */
function install(wanted: string, context: DriveContext): Promise<Notice | 'abandoned' | undefined> {
  const { place, stop } = context
  return unlessAbandoned(tryToInstall(wanted, context), { signal: stop.signal, graceMs: place.stopGraceMs })
}

async function tryToInstall(
  wanted: string,
  { place, report, stop: { signal } }: DriveContext,
): Promise<Notice | undefined> {
  try {
    await place.driver.packages?.install?.([wanted], { signal, notice: (notice) => report.progress(notice) })
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return signal.aborted ? undefined : { code: 'install-failed', message }
  }
}

/** What is missing, and how to get it in this place. */
async function hint({ module, distribution }: MissingPackage, { place }: DriveContext): Promise<Notice> {
  const { name, isKnown } = distribution
  const { command, advice } = (await place.driver.packages?.advise(name)) ?? {
    advice: 'Install it where the code runs.',
  }
  const what = isKnown
    ? `The module ${module} is not installed. It comes with the package ${name}.`
    : `The module ${module} is not installed. If it is no file of your own, it probably comes with a package of that name.`
  return {
    code: 'missing-package',
    message: `${what} ${advice}`,
    data: { module, distribution: name, ...(command === undefined ? {} : { command }) },
  }
}

function installedNotice({ module, distribution }: MissingPackage, wanted: string): Notice {
  return {
    code: 'package-installed',
    message: `The module ${module} was missing. The package ${wanted} was installed, and the block was run once more.`,
    data: { module, distribution: distribution.name },
  }
}

/** What the program did to its files it would do again. */
function installedForNextTime({ module, distribution }: MissingPackage, wanted: string): Notice {
  return {
    code: 'package-installed',
    message: `The module ${module} was missing. The package ${wanted} was installed. The block was not run again, because it had changed files before it failed: run it again if that does no harm.`,
    data: { module, distribution: distribution.name },
  }
}

/** What a Python program could not import. */
export interface MissingPackage {
  /** As Python names it: `cv2`, `google.cloud.storage`. */
  readonly module: string
  readonly distribution: Distribution
}

/** The last line of a traceback. A module that "is not a package" is there; newer Pythons guess at other names. */
const lastLine = /^ModuleNotFoundError: No module named '(?<module>[^'\s]+)'(\. Did you mean: .*)?$/

/** What it was that ended a program for want of a package; `undefined` when it ended for another reason. */
export function findMissingPackage(output: string): MissingPackage | undefined {
  const end = stripVTControlCharacters(output.slice(-4_096)).trimEnd()
  const { module } = lastLine.exec(end.slice(end.lastIndexOf('\n') + 1))?.groups ?? {}
  if (module === undefined) return undefined
  const distribution = distributionOf(module)
  return distribution && { module, distribution }
}

/** What may be installed without asking: packages as pip takes them, or all. */
export type InstallablePackages = readonly string[] | 'any'

/**
 * What pip is to be given for a package that is asked for, if it may be installed: the entry of the list, with the version
 * that stands there, whatever else was asked for. Names are compared as the index of packages does (PEP 503).
 */
export function installableAs(wanted: string, installable: InstallablePackages): string | undefined {
  if (installable === 'any') return onlyName.test(wanted) ? wanted : undefined
  const name = normalized(nameOf(wanted))
  return name === undefined ? undefined : installable.find((entry) => normalized(nameOf(entry)) === name)
}

/** `pandas[excel] >= 2`: nothing that pip would fetch from elsewhere, and no file of this machine. */
const onlyName = /^\s*\w[\w.-]*\s*(\[[\w\s,.-]*\])?\s*([<>=!~][^@/\\]*)?$/

/** Of `pandas[excel] >= 2` it is `pandas`; paths and addresses have none. */
function nameOf(requirement: string): string | undefined {
  const [, name] = /^\s*([\w.-]*\w)\s*($|[[(<>=!~;@,])/.exec(requirement) ?? []
  return name
}

function normalized(name: string | undefined): string | undefined {
  return name?.toLowerCase().replace(/[-_.]+/g, '-')
}
