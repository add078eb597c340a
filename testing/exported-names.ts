import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Exports = Readonly<Record<string, string | { readonly '@fenced/source': string }>>

/** Entry points that promise nothing to users. */
const withoutPromise = new Set(['./internal', './zod', './node-version', './register'])

/** Counts the names that a package exports from each entry point. `export *` counts once. */
export function exportedNames(folder: string): ReadonlyMap<string, number> {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { exports: Exports }
  const sources = Object.entries(exports).flatMap(([door, target]) =>
    typeof target === 'string' ? [] : [[door, join(folder, target['@fenced/source'])] as const],
  )
  return new Map(sources.map(([door, path]) => [door, namesIn(readFileSync(path, 'utf8'))]))
}

/** Counts the names that a package exports for users. */
export function publicNames(folder: string): number {
  return [...exportedNames(folder)]
    .filter(([door]) => !withoutPromise.has(door))
    .reduce((sum, [, count]) => sum + count, 0)
}

function namesIn(text: string): number {
  const lists = [...text.matchAll(/^export(?: type)? \{([^}]*)\}/gm)].flatMap(
    ([, list = '']) => list.match(/\w[^,]*/g) ?? [],
  )
  return lists.length + [...text.matchAll(/^export (?!type \{|\{)/gm)].length
}
