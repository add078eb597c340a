import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inject } from 'vitest'

const tools = join(inject('tools'), 'node_modules')

/** Path of Node by version: the oldest that the packages support, the workspace's own, and the newest. */
export const nodes: Readonly<Record<string, string>> = {
  '22.18': join(tools, 'oldest-node/bin/node'),
  [process.versions.node.split('.', 1).join()]: process.execPath,
  26: join(tools, 'newest-node/bin/node'),
}

/** Path of a Node version that the packages refuse. */
export const olderNode = join(tools, 'older-node/bin/node')

/** A program of Node. */
export const yarn = join(tools, '@yarnpkg/cli-dist/bin/yarn.js')

const workspaceCompiler = join(
  createRequire(import.meta.url).resolve('typescript/package.json'),
  '../bin/tsc',
)

/** Path of TypeScript's compiler by version. */
export const compilers: Readonly<Record<string, string>> = {
  6: join(tools, 'typescript-6/bin/tsc'),
  7: workspaceCompiler,
}
