import { shortened } from '@fenced/errors/text'
import type { Notice } from '../../vocabulary/code-result.ts'
import { withAdvice } from './operator-advice.ts'

/** Messages of resolvers, sockets, pip, curl and Node without a network. */
const networkSymptoms =
  /network is (unreachable|down)|no route to host|temporary failure in name resolution|name or service not known|could not resolve host|nodename nor servname|getaddrinfo failed|\b(ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND)\b|failed to establish a new connection|no address associated with hostname/i

/** A notice for a program that failed, seemingly because it has no network; else `undefined`. */
export function noNetworkNotice(output: string): Notice | undefined {
  if (!networkSymptoms.test(output)) return undefined
  return withAdvice(
    {
      code: 'no-network',
      message: 'The code has no network access because this executor was created without a network.',
    },
    'If the code may use the network, list the hosts it needs in the `network` option (for the `fenced` command: `--network pypi.org,files.pythonhosted.org`).',
  )
}

/** Python's error for a line such as `!pip install x`, `files = !ls` or `%matplotlib inline`. */
const syntaxError =
  /, line (\d+)\r?\n[ \t]*((?:\w+[ \t]*=[ \t]*)?[!%][^\r\n]*)\r?\n[ \t]*\^+[ \t]*\r?\nSyntaxError: /

/** Limit for a command in a notice, in UTF-16 code units. */
const longestCommand = 200

/** A notice for a Python file that has a command of a notebook in it; else `undefined`. */
export function notebookCommandNotice(stderr: string): Notice | undefined {
  const [, line = '', written = ''] = syntaxError.exec(stderr) ?? []
  if (line === '') return undefined
  const command = shortened(written, longestCommand).trimEnd()
  return {
    code: 'notebook-command',
    message: `Line ${line} is a notebook command, \`${command}\`. This Python program runs as a file, in which such a line is a syntax error. Write shell commands in a separate shell block, without the \`!\` or \`%\`.`,
    data: { line, command },
  }
}

/** Node's error for TypeScript that needs a compiler. */
const needsCompiler =
  /^SyntaxError \[ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX\]:\s+(?:x )?TypeScript (.{1,80}) (?:is|are) not supported/m

/** A notice for TypeScript that Node does not run because it only removes types; else `undefined`. */
export function typescriptSyntaxNotice(stderr: string): Notice | undefined {
  const [, syntax] = needsCompiler.exec(stderr) ?? []
  if (syntax === undefined) return undefined
  return {
    code: 'typescript-syntax',
    message: `Node does not run this TypeScript syntax: ${syntax}. Node only removes types. Write an object with \`as const\` instead of an enum, declare fields and assign them instead of parameter properties, and use a module instead of a namespace.`,
    data: { syntax },
  }
}

/** A character reference, by the grammar of HTML: there are two thousand names. */
const reference = /&(?:#\d+|#x[\da-f]+|([a-z][\da-z]*));/gi

/** Names of all dialects. Others may also be names of the program, as in `p = &x;`. */
const commonNames: ReadonlySet<string | undefined> = new Set(['amp', 'lt', 'gt', 'quot', 'apos', 'nbsp'])

/** Returns a notice for a program that failed because it has HTML entities in place of characters, else `undefined`. */
export function htmlEntitiesNotice(code: string, stderr: string): Notice | undefined {
  const isMisread = /syntax ?error/i.test(stderr)
  // A shell reads `x &gt; f` as two commands.
  const notFound = new Set([...stderr.matchAll(/\b(\w+): (?:command )?not found/gi)].map(([, name]) => name))
  const ownNames = new Set(code.replaceAll(reference, ' ').match(/\w+/g))
  const match = [...code.matchAll(reference)].find(
    ([, name]) =>
      (isMisread || notFound.has(name)) &&
      (name === undefined || commonNames.has(name) || !ownNames.has(name)),
  )
  if (match === undefined) return undefined
  const [found] = match
  const line = `${code.slice(0, match.index).split('\n').length}`
  return {
    code: 'html-entities',
    message: `Line ${line} of the program contains the HTML entity ${found}. The program runs as written and is not decoded. Write the characters themselves, such as & or <.`,
    data: { line, entity: found },
  }
}

/** Signals that end programs and have the same number on Linux and macOS. */
const signals: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
}

/** A notice that names the signal of an exit code above 128; `undefined` for other codes. */
export function signalNotice(exitCode: number): Notice | undefined {
  const signal = signals[exitCode - 128]
  if (signal === undefined) return undefined
  return {
    code: 'ended-by-signal',
    message: `Exit code ${exitCode} means that the signal ${signal} ended the program.`,
    data: { signal, exitCode: `${exitCode}` },
  }
}
