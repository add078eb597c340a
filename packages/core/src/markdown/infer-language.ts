import { looksLikeJavaScript } from './looks-like-javascript.ts'
import { looksLikePython } from './looks-like-python.ts'
import { looksLikeShell } from './looks-like-shell.ts'

/** Enough to know a language by; the rest of a long block, or of a long line, is not looked at. */
const MAX_LINES = 200
const MAX_LINE_LENGTH = 200

/**
 * The language that an unlabelled block gives away: `python`, `javascript`, `sh`, `bash`, or the empty string when
 * in doubt. A block is only ever run in this language, so it takes evidence: lines that only a program of that
 * language has, and no line that such a program cannot have. Prose, data, tables, program output, tracebacks and
 * terminal sessions are none.
 *
 * As in AutoGen, commands such as `python script.py` and `pip install x` are `sh`; unlike there, a text is not
 * Python because it happens to compile.
 */
export function inferLanguage(code: string): string {
  const lines = firstLines(code)
  const shebang = /^#!(.*)/.exec(lines[0] ?? '')
  if (shebang !== null) return interpreter(shebang[1] ?? '')
  if (looksLikeShell(lines)) return 'sh'
  if (looksLikePython(lines)) return 'python'
  return looksLikeJavaScript(lines) ? 'javascript' : ''
}

function firstLines(code: string): string[] {
  const lines = code.slice(0, MAX_LINES * MAX_LINE_LENGTH).split('\n', MAX_LINES)
  return lines.map((line) => line.slice(0, MAX_LINE_LENGTH).trimEnd())
}

function interpreter(shebang: string): string {
  if (/\bpython[\d.]*\b/.test(shebang)) return 'python'
  if (/\bnode\b/.test(shebang)) return 'javascript'
  return /[/ ](bash|sh)\b/.exec(shebang)?.[1] ?? ''
}
