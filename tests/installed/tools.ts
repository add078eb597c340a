import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inject } from 'vitest'

const oldest = join(inject('tools'), 'node_modules/oldest-node/bin/node')

/** Path of Node by version: the oldest that the packages support, and the workspace's own. */
export const nodes: Readonly<Record<string, string>> = {
  '22.18': oldest,
  [process.versions.node.split('.', 1).join()]: process.execPath,
}

const workspaceCompiler = join(
  createRequire(import.meta.url).resolve('typescript/package.json'),
  '../bin/tsc',
)

/** Path of TypeScript's compiler by version. */
export const compilers: Readonly<Record<string, string>> = {
  6: join(inject('tools'), 'node_modules/typescript-6/bin/tsc'),
  7: workspaceCompiler,
}
