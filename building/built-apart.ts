import { join } from 'node:path'
import type { Options } from 'tsup'

/**
 * Builds a dynamically imported module into a separate file with a copy of everything that it imports. As a shared chunk, its imports
 * would be loaded with every import of the package.
 *
 * @param name - Name of the module's file, without `.ts`.
 */
export function builtApart(name: string): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'built-apart',
    setup({ esbuild, initialOptions: { outdir = '.', target = 'node22' }, onResolve }) {
      let building: Promise<unknown> | undefined
      onResolve({ filter: new RegExp(`/${name}\\.ts$`) }, async ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import') return
        const entryPoints = [join(resolveDir, path)]
        const outfile = join(outdir, `${name}.js`)
        building ??= esbuild.build({
          entryPoints,
          outfile,
          bundle: true,
          format: 'esm',
          platform: 'node',
          target,
        })
        await building
        return { path: `./${name}.js`, external: true }
      })
    },
  }
}
