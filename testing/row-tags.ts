import type { TestOptions } from 'vitest'
import type { LevelTag } from './levels.ts'

/** A part of names, or all names with `in` that have none of the parts in `except`. */
type RowNames = string | { readonly in?: string; readonly except: readonly string[] }

export type RowTags = Partial<Record<LevelTag, readonly RowNames[]>>

declare module 'vitest' {
  interface TaskMeta {
    rowTags?: RowTags
  }
}

/**
 * Options of a test or suite with rows (`it.each`, a contract), which give some of the rows a level, by parts of their full names. A
 * part that no name has fails the run.
 *
 * @example
 * ```ts
 * it.each(['SIGINT', 'SIGTERM'])('ends by %s', rowTags({ nightly: ['SIGTERM'] }), (signal) => …)
 * ```
 */
export function rowTags(tags: RowTags): TestOptions {
  return { meta: { rowTags: tags } }
}

/** The last test of rows that share something ends what some of them began: it belongs to no level. */
export const isTheirEnd = /of these rows (?:stops|is removed)$/

/** Applies {@link rowTags} to the tests of a file. */
export class RowTagger {
  /** The names of each object that no test has matched so far. */
  readonly #unmatched = new Map<RowTags, Set<RowNames>>()

  tagsOf(name: string, given: readonly RowTags[]): readonly LevelTag[] {
    return given.flatMap((tags) =>
      (Object.keys(tags) as LevelTag[]).filter((tag) => this.#matches(name, tags, tag)),
    )
  }

  #matches(name: string, tags: RowTags, tag: LevelTag): boolean {
    const unmatched = this.#unmatched.get(tags) ?? new Set(Object.values(tags).flat())
    this.#unmatched.set(tags, unmatched)
    const matching = (tags[tag] ?? []).filter((names) => isNamed(name, names))
    for (const names of matching) unmatched.delete(names)
    return matching.length > 0 && !isTheirEnd.test(name)
  }

  /** @throws Error when a name matches no test. */
  end(): void {
    const unmatched = [...this.#unmatched.values()].flatMap((names) => [...names])
    this.#unmatched.clear()
    if (unmatched.length > 0)
      throw new Error(`No name of a test has what \`rowTags\` names: ${JSON.stringify(unmatched)}`)
  }
}

function isNamed(name: string, names: RowNames): boolean {
  if (typeof names === 'string') return name.includes(names)
  return name.includes(names.in ?? '') && !names.except.some((part) => name.includes(part))
}
