import type { Notice } from '../code-result.ts'

/** Python's error for a line such as `!pip install x`, `files = !ls` or `%matplotlib inline`. */
const syntaxError =
  /, line (\d+)\r?\n[ \t]*((?:\w+[ \t]*=[ \t]*)?[!%][^\r\n]*)\r?\n[ \t]*\^+[ \t]*\r?\nSyntaxError: /

/** Limit for a command in a notice, in UTF-16 code units. */
const longestCommand = 200

/** A notice for a Python file that has a command of a notebook in it; else `undefined`. */
export function notebookCommandNotice(stderr: string): Notice | undefined {
  const [, line = '', written = ''] = syntaxError.exec(stderr) ?? []
  if (line === '') return undefined
  const command = written.slice(0, longestCommand).trimEnd()
  return {
    code: 'notebook-command',
    message: `Line ${line} is a notebook command, \`${command}\`. This Python program runs as a file, in which such a line is a syntax error. Write shell commands in a separate shell block, without the \`!\` or \`%\`.`,
    data: { line, command },
  }
}
