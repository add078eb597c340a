import { multilineLiterals } from '../markdown/multiline-literals.ts'

/**
 * Makes `!pip install` and `%pip install` in Python quiet: a model needs to read that it failed, not what it downloaded. Lines
 * inside of strings are left alone, and so is a line that says `-q` by itself. Programs of other languages are run as they are
 * written: in a shell the same words can be text for a file.
 *
 * They are a notebook's words. A kernel understands them; where the block is a file they become a call of pip with the
 * interpreter that runs it, in the same line.
 */
export function quietPip(code: string, language: string, input: 'file' | 'kernel'): string {
  // Most programs have none of it, and every block comes through here.
  return language === 'python' && /pip/.test(code) ? outsideOfStrings(code, pythonLine[input]) : code
}

const pythonLine = {
  kernel: (line: string) =>
    line.replace(notebookPip, (_, indent, pip, words) => `${indent}${pip}${quiet(words)}`),
  file: (line: string) =>
    line.replace(notebookPip, (_, indent, _pip, words) => `${indent}${callOfPip(quiet(words.trim()))}`),
}

/** No space behind `%`: `% pip` at the beginning of a line is a remainder. */
const notebookPip = /^(\s*)((?:!\s*|%)(?:pip3?|python3?\s+-m\s+pip)\s+)(.*)$/s

/**
 * One line, so that line numbers stay; pip's own exit code ends the program, without a traceback about this call.
 * In a notebook a shell reads the words, with their quotes, comments and redirections; so it does here.
 */
function callOfPip(words: string): string {
  const command = `f'"{__import__("sys").executable}" -m pip ' ${JSON.stringify(words)}`
  return `(lambda code: code and __import__('sys').exit(code))(__import__('subprocess').call(${command}, shell=True))`
}

/** Without its warnings. Once more would hide errors too: that a disk is full, that the system's Python takes nothing. */
function quiet(words: string): string {
  const hasItsOwn = /(^|\s)(-q+|--quiet|-v+|--verbose)(\s|$)/.test(words)
  return hasItsOwn ? words : words.replace(/^install\b/, 'install -qq')
}

function outsideOfStrings(code: string, rewrite: (line: string) => string): string {
  const literals = multilineLiterals('python')
  return code
    .split('\n')
    .map((line) => {
      const inside = literals?.open ?? false
      literals?.next(line)
      return inside ? line : rewrite(line)
    })
    .join('\n')
}
