import type { Language } from '../language/language.ts'

/**
 * The name in the `filename:` directive of a program's first line, trimmed; `undefined` when there is none.
 * It must stand in a comment of the language and name the keyword: an ordinary first comment is no file name
 * (AutoGen 0.2 takes every first comment for one).
 */
export function readFilenameDirective(code: string, language: Language): string | undefined {
  const firstLine = code.slice(0, lineEnd(code)).trim()
  for (const { open, close = '' } of language.comments) {
    if (!firstLine.startsWith(open) || !firstLine.endsWith(close)) continue
    const comment = firstLine.slice(open.length, firstLine.length - close.length).trim()
    const directive = /^filename:(.*)$/i.exec(comment)
    if (directive !== null) return (directive[1] ?? '').trim()
  }
  return undefined
}

/** The text behind its first line. */
export function withoutFirstLine(code: string): string {
  return code.slice(lineEnd(code)).replace(/^(\r\n|\r|\n)/, '')
}

function lineEnd(code: string): number {
  const end = code.search(/[\r\n]/)
  return end === -1 ? code.length : end
}
