import { readFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { FencedError } from '@fenced/errors'

/** A requirements file as pip receives it. */
export interface RequirementsFile {
  readonly name: string
  /** Content of the file. Included files keep the names that pip receives, relative to this file. */
  readonly content: string
}

/** The beginning of a line that takes another file in, `-r` or `-c`, and that file unless it is on the web. */
const inclusion = /^(\s*(?:-[rc]\s*|--(?:requirement|constraint)(?:\s+|=)))(?![\w+]+:\/\/)(\S+)/

/**
 * Returns the requirements and the files that they include, starting with the outermost file.
 *
 * @param requirements - Path of a file, or lines in which paths are relative to this process's working directory.
 * @throws FencedError `REQUIREMENTS_NOT_FOUND`.
 */
export async function readRequirements(
  requirements: string | readonly string[] = [],
): Promise<readonly RequirementsFile[]> {
  if (requirements.length === 0) return []
  const files = new Map<string, RequirementsFile>()
  if (typeof requirements === 'string') await include(resolve(requirements), files)
  else await take(resolve('requirements.txt'), requirements.join('\n'), files)
  return [...files.values()]
}

/** @returns the name that the file has beside the others. */
async function include(path: string, files: Map<string, RequirementsFile>): Promise<string> {
  const known = files.get(path)
  if (known !== undefined) return known.name
  try {
    return await take(path, await readFile(path, 'utf8'), files)
  } catch (cause) {
    if (FencedError.isInstance(cause)) throw cause
    throw new FencedError({
      code: 'REQUIREMENTS_NOT_FOUND',
      message: `The requirements file ${path} cannot be read: ${(cause as Error).message}. Check the \`requirements\` option and the files that it includes.`,
      data: { path, reason: (cause as Error).message, option: 'requirements' },
      cause,
    })
  }
}

async function take(path: string, text: string, files: Map<string, RequirementsFile>): Promise<string> {
  const name = `${files.size}-${basename(path)}`
  // Known before its lines are read, because two files may include each other.
  files.set(path, { name, content: '' })
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const [whole = '', option = '', included] = inclusion.exec(line) ?? []
    if (included === undefined) lines.push(line)
    else
      lines.push(option + (await include(resolve(dirname(path), included), files)) + line.slice(whole.length))
  }
  files.set(path, { name, content: lines.join('\n') })
  return name
}

/**
 * Returns packages in a canonical spelling and order: pip treats `NumPy` and `numpy`, or `a_b` and `a-b`, as the same (PEP 503).
 */
export function normalizePackages(packages: readonly string[]): readonly string[] {
  const spelled = packages.map((entry) =>
    entry.trim().replace(/^[\w.-]+(?=$|[\s[=<>!~@;])/, (name) => name.toLowerCase().replace(/[-_.]+/g, '-')),
  )
  return [...new Set(spelled)].sort()
}
