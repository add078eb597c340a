import { posix } from 'node:path'
import { FencedError } from '@fenced/core'

interface Rule {
  /** Begins with `!`. */
  readonly isException: boolean
  /** Matches a path and all that is below it. */
  readonly pattern: RegExp
  /** Whether something below a directory (its path with a `/` behind it) can match. */
  mayMatchBelow(directory: string): boolean
}

/** Which files a Dockerfile's build leaves out (Dockerfile reference, ".dockerignore file"). */
export class Dockerignore {
  readonly #rules: readonly Rule[]

  /**
   * @param file - where the text stands, for errors.
   * @throws FencedError `BUILD_FAILED` for a pattern that is none, as the docker command does.
   */
  constructor(text: string, file: string) {
    this.#rules = text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => readRule(line, file))
  }

  /** @param path - from the context's root, with `/` between its parts. */
  leavesOut(path: string): boolean {
    return this.#rules.findLast(({ pattern }) => pattern.test(path))?.isException === false
  }

  /** Whether something below a directory that is left out may be taken nevertheless. */
  mayTakeBelow(directory: string): boolean {
    return this.#rules.some((rule) => rule.isException && rule.mayMatchBelow(`${directory}/`))
  }
}

function readRule(line: string, file: string): Rule {
  const isException = line.startsWith('!')
  const path = posix
    .normalize(line.slice(isException ? 1 : 0).trim())
    .replace(/^\//, '')
    .replace(/\/$/, '')
  const literal = /^[^*?[\\]*/.exec(path)?.[0] ?? ''
  const hasWildcards = literal !== path
  const certain = literal.slice(0, literal.lastIndexOf('/') + 1)
  return {
    isException,
    pattern: compile(path, { line, file }),
    mayMatchBelow: (directory) =>
      literal.startsWith(directory) || (hasWildcards && directory.startsWith(certain)),
  }
}

function compile(path: string, { line, file }: { readonly line: string; readonly file: string }): RegExp {
  try {
    return new RegExp(`^${toRegExp(path)}(?:/.*)?$`, 's')
  } catch (cause) {
    throw new FencedError({
      code: 'BUILD_FAILED',
      message: `The line ${JSON.stringify(line)} in ${file} is not a valid pattern: a class such as [a-z] goes from the lower character to the higher one, and ends with a bracket. Correct the line, or put a backslash in front of a bracket that means itself.`,
      cause,
    })
  }
}

/** Wildcards are those of Go's `filepath.Match`, and `**` for any number of directories. */
function toRegExp(path: string): string {
  return path.replace(/\*\*\/?|\[[^\]]+\]|\\.|./gs, (token, position: number) => {
    if (token.startsWith('**')) {
      const isAtEnd = position + token.length === path.length
      return isAtEnd || (position === 0 && token === '**') ? '.*' : '(?:.*/)?'
    }
    if (token === '*') return '[^/]*'
    if (token === '?') return '[^/]'
    if (token.length > 2) return token
    return token.slice(-1).replace(/\W/, '\\$&')
  })
}
