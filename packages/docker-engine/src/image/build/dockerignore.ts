import { posix } from 'node:path'

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

  constructor(text: string) {
    this.#rules = text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map(readRule)
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

function readRule(line: string): Rule {
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
    pattern: new RegExp(`^${toRegExp(path)}(?:/.*)?$`, 's'),
    mayMatchBelow: (directory) =>
      literal.startsWith(directory) || (hasWildcards && directory.startsWith(certain)),
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
