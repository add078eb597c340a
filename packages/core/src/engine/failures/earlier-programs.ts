import type { Notice } from '../../vocabulary/code-result.ts'

/** How much is kept of earlier programs, in UTF-16 code units. */
const mostKept = 200_000

const undefinedName: Readonly<Record<string, RegExp>> = {
  javascript: /^ReferenceError: ([\p{L}_$][\p{L}\p{N}_$]*) is not defined/mu,
  python: /^NameError: name '([\p{L}_][\p{L}\p{N}_]*)' is not defined/mu,
}

/** The newest programs of an executor that keeps no variables, to explain why a name of theirs is not defined. */
export class EarlierPrograms {
  #programs: { readonly languageId: string; readonly code: string }[] = []
  #length = 0

  add(languageId: string, code: string): void {
    if (undefinedName[languageId] === undefined || code.length > mostKept) return
    this.#programs.push({ languageId, code })
    this.#length += code.length
    while (this.#length > mostKept) this.#length -= this.#programs.shift()?.code.length ?? 0
  }

  /** A notice for a program that failed because it uses a name that an earlier program defined; else `undefined`. */
  undefinedNameNotice(languageId: string, stderr: string): Notice | undefined {
    const name = undefinedName[languageId]?.exec(stderr)?.[1]
    if (name === undefined) return undefined
    const definition = definitionOf(name)
    const isDefined = this.#programs.some(
      (each) => each.languageId === languageId && definition.test(each.code),
    )
    if (!isDefined) return undefined
    return {
      code: 'name-of-earlier-block',
      message: `${name} is defined in an earlier block. Each block runs as a new program, without variables and imports of earlier blocks. Define it in this block, too, or save data in a file.`,
      data: { name },
    }
  }
}

/** An assignment of the name, alone or in a list, its import, or its declaration. */
function definitionOf(name: string): RegExp {
  const word = `(?<![\\p{L}\\p{N}_$.])${name.replaceAll('$', '\\$')}(?![\\p{L}\\p{N}_$])`
  return new RegExp(
    `^[ \\t]*(?:from|import)\\b.*${word}|\\b(?:as|async|class|const|def|for|function|let|var)\\s+${word}|${word}\\s*(?:,[^=\\n]*|:[^=\\n]+)?=(?!=)`,
    'mu',
  )
}
