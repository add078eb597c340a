import type { Options } from 'tsup'

/**
 * Lets the modules that a package exports check the version of Node first. The parts that they share need no check: nothing else
 * loads them, and each import costs its importer time.
 */
export function checkingNode(module: string): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'checking-node',
    setup({ initialOptions, onEnd }) {
      initialOptions.metafile = true
      onEnd(({ outputFiles = [], metafile }) => {
        const entries = Object.entries(metafile?.outputs ?? {}).filter(([, { entryPoint }]) => entryPoint)
        for (const file of outputFiles)
          if (entries.some(([path]) => file.path.endsWith(path)))
            file.contents = Buffer.concat([Buffer.from(`import '${module}'\n`), file.contents])
      })
    },
  }
}
