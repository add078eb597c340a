import { upstreamOptions } from './upstream-options.ts'

interface UnknownOption {
  readonly message: string
  /** Its name here, or the name that was probably meant. */
  readonly suggestion?: string
  /** The options that exist, to be listed once for several unknown options. */
  readonly list?: string
}

/** Returns the name here of an option that does not exist, the name that was probably meant, or all names. */
export function unknownOption(name: string, known: readonly string[]): UnknownOption {
  const unknown = `Unknown option \`${name}\``
  const same = known.find((candidate) => plainName(candidate) === plainName(name))
  if (same !== undefined) return { message: `${unknown}: it is called \`${same}\` here.`, suggestion: same }
  const { to = [], note = '', otherwise } = upstreamOptions.get(plainName(name)) ?? {}
  const renamed = to.find((candidate) => known.includes(candidate))
  if (renamed !== undefined)
    return { message: `${unknown}: it is called \`${renamed}\` here${note}.`, suggestion: renamed }
  if (otherwise !== undefined) return { message: `${unknown}: ${otherwise}.` }
  const nearest = nearestName(name, known)
  if (nearest !== undefined)
    return { message: `${unknown}: did you mean \`${nearest}\`?`, suggestion: nearest }
  const names = known.map((candidate) => `\`${candidate}\``).join(', ')
  return {
    message: `${unknown}.`,
    list: known.length === 0 ? 'There are no options here.' : `The options are ${names}.`,
  }
}

/** Returns the name that is most similar to a mistyped one; `undefined` where none is similar. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const typed = plainName(name)
  // A third of the letters may differ; with more it is another word.
  const allowed = Math.ceil(typed.length / 3)
  const [nearest] = names
    .map((candidate) => ({ candidate, distance: editDistance(typed, plainName(candidate)) }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance)
  return nearest?.candidate
}

/** A name in lower case without separators: `work_dir`, `work-dir` and `workDir` are equal. */
function plainName(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase()
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [deleted, letter] of [...from].entries()) {
    const next = [deleted + 1]
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] as number) + (to[index] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
