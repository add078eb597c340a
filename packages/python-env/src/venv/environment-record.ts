import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What an environment that is complete says about itself, in a file of its own. */
export interface EnvironmentRecord {
  /** The hash of what was asked for and is installed. */
  readonly packages: string
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

/** The same for the same set, in whatever order it is named. */
export function packagesHash(packages: readonly string[], requirements: string): string {
  const names = packages.map((name) => name.trim()).sort()
  return createHash('sha256')
    .update(JSON.stringify([names, requirements]))
    .digest('hex')
}
