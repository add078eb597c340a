import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from '@fenced/core/zod'
import { normalizePackages, type RequirementsFile } from '@fenced/shared'

const recordSchema = z.object({
  /** Hash of the installed packages. */
  packages: z.string(),
  /** Version of the Python that has the packages, such as `3.13`. A different version does not find them. */
  python: z.string().optional(),
  /** Whether Fenced created the environment and can recreate it. */
  isOurs: z.boolean().optional(),
})

/** Contents of the file that marks a complete environment. */
export type EnvironmentRecord = Readonly<z.output<typeof recordSchema>>

const fileName = 'fenced-environment.json'

export async function readRecord(path: string): Promise<EnvironmentRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(join(path, fileName), 'utf8')))
  } catch {
    return undefined
  }
}

/** Writes the record atomically, because it marks the environment as complete. */
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

/** Hash of a set of packages, independent of its order. */
export function packagesHash(packages: readonly string[], requirements: readonly RequirementsFile[]): string {
  const files = requirements.map(({ name, content }) => [name, content])
  return createHash('sha256')
    .update(JSON.stringify([normalizePackages(packages), files]))
    .digest('hex')
}
