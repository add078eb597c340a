import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Options } from 'tsup'

/** Writes `licenses.txt`: the licenses of all packages that are built into this one. */
export const licenses: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'licenses',
  setup({ initialOptions, onEnd }) {
    initialOptions.metafile = true
    onEnd(async ({ metafile }) => {
      const folders = Object.keys(metafile?.inputs ?? {}).flatMap(
        (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [],
      )
      const texts = await Promise.all([...new Set(folders)].sort().map(licenseIn))
      const directory = initialOptions.outdir ?? '.'
      // A first build has no directory yet: tsup writes the modules later.
      await mkdir(directory, { recursive: true })
      await writeFile(join(directory, 'licenses.txt'), texts.join('\n'))
    })
  },
}

async function licenseIn(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const file = (await readdir(folder)).find((each) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(each))
  if (file === undefined) throw new Error(`${folder} has no file with its license`)
  const text = await readFile(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text}`
}
