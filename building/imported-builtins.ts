import { isBuiltin } from 'node:module'
import type { Options } from 'tsup'

/** Turns `require` of a module of Node into an import: a module has no `require`, and a bundler would not see the call. */
export const importedBuiltins: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'imported-builtins',
  setup(build) {
    build.onResolve({ filter: /^/ }, ({ path, kind }) =>
      kind === 'require-call' && isBuiltin(path) ? { path, namespace: 'required' } : undefined,
    )
    build.onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('imported:${path.replace(/^node:/, '')}').default`,
    }))
    build.onResolve({ filter: /^imported:/ }, ({ path }) => ({
      path: path.slice('imported:'.length),
      namespace: 'imported',
    }))
    build.onLoad({ filter: /^/, namespace: 'imported' }, ({ path }) => ({
      contents: `export { default } from 'node:${path}'`,
    }))
  },
}
