import { resolve } from 'node:path'

/** pnpm runs a script in the workspace, and says in INIT_CWD where the user typed it. */
export function fromWhereTyped(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path)
}
