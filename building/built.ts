import type { Options } from 'tsup'
import { checkingNode } from './checking-node.ts'
import { embedded } from './embedded.ts'

export { builtApart } from './built-apart.ts'
export { importedBuiltins } from './imported-builtins.ts'
export { layered } from './layered.ts'
export { licenses } from './licenses.ts'

type PackageOptions = Options & Required<Pick<Options, 'entry'>>

/** How tsup builds a package: what all packages share, and the options of this one. */
export function built(options: PackageOptions, checkedBy = '@fenced/core/node-version'): Options {
  return {
    format: ['esm'],
    target: 'node22',
    // What is built can be read. Maps without sources make tools complain; with them they are two thirds of a package.
    sourcemap: false,
    clean: true,
    // Bundlers do not know every module of Node without the prefix, and `node:sqlite` has no other name.
    removeNodeProtocol: false,
    // Declarations come from tsc: tsup's own emitter needs the compiler API, which TypeScript 7 does not have.
    dts: false,
    ...options,
    esbuildPlugins: [embedded, checkingNode(checkedBy), ...(options.esbuildPlugins ?? [])],
  }
}

/** The same for the packages that core depends on. */
export function builtBelowCore(options: PackageOptions): Options {
  return built(options, '@fenced/errors/node-version')
}
