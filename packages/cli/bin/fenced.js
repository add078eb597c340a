#!/usr/bin/env node
// Not built: an older Node must be able to read it, and the compile cache must be on before the first module is loaded.
import { statSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

try {
  await import('@fenced/errors/node-version')
  useCompileCache()
  await import('../dist/main.js')
} catch (error) {
  if (error.code !== 'NODE_TOO_OLD') throw error
  process.stderr.write(`fenced: ${error.message}\n`)
  process.exitCode = 2
}

/**
 * Inside the package, because whoever can write a compiled module chooses what runs. Not in the directory of another user, who could
 * not remove it.
 */
function useCompileCache() {
  const root = fileURLToPath(new URL('..', import.meta.url))
  if (statSync(root).uid === process.getuid?.()) module.enableCompileCache(`${root}node_modules/.cache`)
}
