import {
  type CodeBlock,
  createLanguageTable,
  type Language,
  type LanguageTable,
  labelOf,
} from '@fenced/markdown'

/**
 * Returns the file name of a block, from its `filename:` directive or else from its label (`app.py`). `undefined` without
 * a name, and for a language that is not in the table. The name is not checked: an executor refuses a name that leads
 * out of its working directory.
 */
export function fileNameOfBlock(
  block: CodeBlock,
  table: LanguageTable = createLanguageTable(),
): string | undefined {
  const language = table.find(block.language)
  if (language === undefined) return undefined
  return readFilenameDirective(block.code, language) ?? labelOf(block, language).fileName
}

/**
 * Returns the name in the `filename:` directive of a block's first line, trimmed and without quotes or backticks;
 * `undefined` without a directive. In a program it may also be in the second line, after a shebang. It must be in a
 * comment of the language, with the keyword: other comments are not file names (AutoGen 0.2 accepts every first comment).
 */
export function readFilenameDirective(code: string, language: Language): string | undefined {
  const isBehindShebang = language.kind === 'run' && code.startsWith('#!')
  const text = isBehindShebang ? withoutFirstLine(code) : code
  const line = text.slice(0, lineEnd(text)).trim()
  for (const { open, close = '' } of language.comments) {
    if (!line.startsWith(open) || !line.endsWith(close)) continue
    const comment = line.slice(open.length, line.length - close.length).trim()
    const directive = /^filename:(.*)$/i.exec(comment)
    if (directive !== null) return withoutQuotes((directive[1] ?? '').trim())
  }
  return undefined
}

function withoutQuotes(name: string): string {
  const quote = name.charAt(0)
  return name.length > 1 && '`"\''.includes(quote) && name.endsWith(quote) ? name.slice(1, -1).trim() : name
}

/** The text after its first line. */
export function withoutFirstLine(code: string): string {
  return code.slice(lineEnd(code)).replace(/^(\r\n|\r|\n)/, '')
}

function lineEnd(code: string): number {
  const end = code.search(/[\r\n]/)
  return end === -1 ? code.length : end
}

/** A file name below the working directory, or the reason why it is none. */
export type CheckedFileName = { readonly name: string } | { readonly refused: string }

/** Names that Windows gives to devices in every directory, with any extension. */
const windowsDevices = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/**
 * Checks a name that a model wrote. An absolute path is accepted where it leads into the working directory,
 * as AutoGen accepts it. The rules are the same on every system, so that an answer runs everywhere or nowhere.
 *
 * @param written - the name as written.
 * @param workDir - absolute path of the working directory as the code sees it.
 */
export function checkFileName(written: string, workDir: string): CheckedFileName {
  const name = written.startsWith(`${workDir}/`) ? written.slice(workDir.length + 1) : written
  const parts = name.split('/').filter((part) => part !== '.' && part !== '')
  const refused = refusalOf(name, parts)
  return refused === undefined ? { name: parts.join('/') } : { refused }
}

function refusalOf(name: string, parts: readonly string[]): string | undefined {
  if (name === '') return 'it is empty'
  // Half a surrogate pair would be another character on the disk than in the result.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'it contains a control character'
  if (name.includes('\\')) return 'it contains a backslash; write "/" between directories'
  const [first = ''] = parts
  if (name.startsWith('/') || /^[a-z]:/i.test(first)) {
    return 'it is an absolute path outside the working directory'
  }
  if (/[<>:"|?*]/.test(name)) return 'it contains a character that Windows does not allow (< > : " | ? *)'
  if (first.startsWith('~')) return 'it begins with "~", which is not expanded'
  if (parts.includes('..')) return 'it contains ".."'
  if (/(^|\/)\.?$/.test(name)) return 'it names a directory'
  if (parts.some((part) => windowsDevices.test(part))) return 'it is the name of a device on Windows'
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'a part of it is longer than 255 bytes'
  return undefined
}
