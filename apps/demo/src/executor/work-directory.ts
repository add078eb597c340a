import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../user-error.ts'
import { fromWhereTyped } from './from-where-typed.ts'

/** Where the code runs. It is removed at the end only if it is ours and empty: what the code made is worth a look. */
export interface DemoDirectory extends AsyncDisposable {
  readonly path: string
}

export async function workDirectory(chosen: string | undefined): Promise<DemoDirectory> {
  if (chosen !== undefined) return { path: fromWhereTyped(chosen), [Symbol.asyncDispose]: async () => {} }
  const path = await temporaryDirectory()
  return { path, [Symbol.asyncDispose]: () => rmdir(path).catch(() => {}) }
}

async function temporaryDirectory(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'fenced-demo-'))
  } catch {
    throw new UserError(`No directory can be made in ${tmpdir()}: name one with --work-dir.`)
  }
}
