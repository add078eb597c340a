import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Options } from 'tsup'

/**
 * Joins the chunks that entry points share, so that a program resolves and loads fewer files: each entry point counts as an importer of
 * all entry points of its layer and of the layers before. Otherwise each group of entry points has a chunk for what only they share.
 *
 * @param layers - Names of entry points in `src`, without `.ts`. A program that loads a layer usually loads the layers before it.
 */
export function layered(
  ...layers: readonly (readonly string[])[]
): NonNullable<Options['esbuildPlugins']>[number] {
  const source = join(process.cwd(), 'src')
  return {
    name: 'layered',
    setup({ initialOptions, onLoad }) {
      // An import for its place alone does nothing, because the modules have no side effects.
      initialOptions.logOverride = { ...initialOptions.logOverride, 'ignored-bare-import': 'silent' }
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const name = basename(path, '.ts')
        const layer = layers.findIndex((each) => each.includes(name))
        if (layer === -1 || dirname(path) !== source) return
        const others = layers.slice(0, layer + 1).flat()
        const imports = others.filter((each) => each !== name).map((each) => `import './${each}.ts'`)
        return { contents: [await readFile(path, 'utf8'), ...imports].join('\n'), loader: 'ts' }
      })
    },
  }
}
