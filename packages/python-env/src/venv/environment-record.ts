import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { normalizePackages, type RequirementsFile } from '@fenced/host'

/** What an environment that is complete says about itself, in a file of its own. */
export interface EnvironmentRecord {
  /** The hash of what was asked for and is installed. */
  readonly packages: string
  /** Version of Python whose packages are in it, as `3.13`. After an upgrade of the system another one looks elsewhere for them. */
  readonly python?: string
  /** Whether Fenced made it, and may make it again. */
  readonly isOurs?: boolean
}

const fileName = 'fenced-environment.json'

export async function readRecord(path: string): Promise<EnvironmentRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(join(path, fileName), 'utf8'))
    return typeof record?.packages === 'string' ? record : undefined
  } catch {
    return undefined
  }
}

/** At once or not at all: it is what makes an environment complete. */
export async function writeRecord(path: string, record: EnvironmentRecord): Promise<void> {
  const draft = join(path, `${fileName}.draft`)
  await writeFile(draft, `${JSON.stringify(record)}\n`)
  await rename(draft, join(path, fileName))
}

/** Whether the packages were installed for this version of Python. */
export function isForPython(record: EnvironmentRecord | undefined, version: string): boolean {
  return record?.python === featureVersion(version)
}

/** `3.13` of `3.13.1`. */
export function featureVersion(version: string): string {
  return version.split('.', 2).join('.')
}

/** The same for the same set, in whatever order it is named. */
export function packagesHash(packages: readonly string[], requirements: readonly RequirementsFile[]): string {
  const files = requirements.map(({ name, content }) => [name, content])
  return createHash('sha256')
    .update(JSON.stringify([normalizePackages(packages), files]))
    .digest('hex')
}
