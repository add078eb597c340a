import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { requireTrusted } from './trusted-programs.ts'

const advice =
  'Install the package of the working directory without `-e` (editable), or use a virtual environment elsewhere.'

/**
 * Refuses a Python whose packages are in a place where sandboxed programs can write, for example after `pip install -e .`. When
 * such a Python is started with its packages, as pip is, it imports modules from there, such as `sitecustomize`.
 *
 * @param python - Path of the interpreter, in a virtual environment or an installation.
 * @throws FencedError `PROGRAM_WRITABLE`.
 */
export function requireTrustedPackages(python: string): void {
  requireTrusted(python)
  for (const folder of packageFolders(dirname(dirname(python)))) {
    for (const { name } of entriesOf(folder)) {
      if (!name.endsWith('.pth')) continue
      for (const path of pathsIn(join(folder, name)))
        requireTrusted(join(resolve(folder, path), 'module'), advice)
    }
  }
}

/** Where Python keeps packages below its prefix: also as Debian and Windows name it. */
function packageFolders(prefix: string): string[] {
  const libraries = ['lib', 'lib64', 'local/lib'].map((name) => join(prefix, name))
  const ofVersions = libraries.flatMap((library) =>
    entriesOf(library)
      .filter(({ name }) => /^(python|pypy)\d/.test(name))
      .map(({ name }) => join(library, name)),
  )
  const names = ['site-packages', 'dist-packages']
  return [...libraries, ...ofVersions, join(prefix, 'Lib')].flatMap((folder) =>
    names.map((name) => join(folder, name)),
  )
}

/** A line is a path, a comment, or code of a package that is installed. */
function pathsIn(file: string): string[] {
  const lines = readFileSync(file, 'latin1').split(/\r?\n/)
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '' && !/^(#|import[ \t])/.test(line))
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
