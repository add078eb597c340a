import { pathToFileURL } from 'node:url'
import type { Options } from 'tsup'

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Puts texts of programs that run elsewhere into what is built, because a bundle of it finds no file beside it: each
 * module `src/embedded.ts` is evaluated, and replaced by the values of its exports. It may import modules of Node alone.
 */
export const embedded: EsbuildPlugin = {
  name: 'embedded',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]embedded\.ts$/ }, async ({ path }) => {
      const values: Record<string, unknown> = await import(pathToFileURL(path).href)
      const exports = Object.entries(values).map(
        ([name, value]) => `export const ${name} = ${JSON.stringify(value)}`,
      )
      return { contents: exports.join('\n'), loader: 'js' }
    })
  },
}
