/** Syntax of a one-line comment: its opening and, if needed, its closing characters. */
interface CommentSyntax {
  readonly open: string
  readonly close?: string
}

/**
 * How blocks in a language are handled:
 * - `run`: the block is a program and is run.
 * - `save`: the block is a document (`html`, `css`), which is written to the working directory but not run.
 * - `data`: the block is neither (`json`, `text`, `diff`). It is skipped, or saved if its first line names a file.
 */
export type LanguageKind = 'run' | 'save' | 'data'

/** One row in the language table. Plain data; to extend a table, add rows. */
export interface Language {
  /** Name used in results and capabilities. */
  readonly id: string
  /** Other labels that models use, in lower case. */
  readonly aliases: readonly string[]
  /** File extension, without the dot. */
  readonly extension: string
  /**
   * File extensions for aliases that differ from the main one, without the dot. For example, an `mjs` file is an ES module in any
   * directory.
   */
  readonly aliasExtensions?: Readonly<Record<string, string>>
  /** Aliases that actually name another language. A program with such a label gets the notice `interpreter-substituted`. */
  readonly substituteFor?: readonly string[]
  /** Comment styles in which a `filename:` directive is recognized. */
  readonly comments: readonly CommentSyntax[]
  /** How the language's blocks are handled. */
  readonly kind: LanguageKind
  /**
   * For `run`: command lines that run a file in this language, in order of preference. The first one whose program exists is
   * used, with the file's path appended. An executor may choose a different one, as the local executor does for Python.
   */
  readonly commands?: readonly (readonly string[])[]
  /**
   * For `run`: systems on which the language is run by default, as in `process.platform`. On others, and in a container, it is run
   * only if an option names it: `languages` or `executionPolicies`.
   *
   * @default all systems
   */
  readonly systems?: readonly string[]
  /** Whether the language's files start with a byte order mark. Windows PowerShell 5 reads files without one as ANSI. */
  readonly byteOrderMark?: boolean
}

const hash: readonly CommentSyntax[] = [{ open: '#' }]
const slashes: readonly CommentSyntax[] = [{ open: '//' }, { open: '/*', close: '*/' }]
const angles: readonly CommentSyntax[] = [{ open: '<!--', close: '-->' }]

/**
 * The built-in languages, without what a single executor adds. `pwsh`, `ps1` and `powershell` are one
 * language, and so are `sh` and `shell`, as in AutoGen. `bash` is separate, and also runs blocks labeled `zsh`, because
 * both read what models write. `tool_code` is Gemini's label for Python.
 */
export const languages: readonly Language[] = [
  {
    id: 'python',
    aliases: ['py', 'python3', 'ipython', 'ipython3', 'tool_code'],
    extension: 'py',
    comments: hash,
    kind: 'run',
    commands: [['python3'], ['python']],
  },
  { id: 'sh', aliases: ['shell'], extension: 'sh', comments: hash, kind: 'run', commands: [['sh']] },
  {
    id: 'bash',
    aliases: ['zsh'],
    substituteFor: ['zsh'],
    extension: 'sh',
    comments: hash,
    kind: 'run',
    commands: [['bash']],
  },
  {
    id: 'powershell',
    aliases: ['pwsh', 'ps1'],
    extension: 'ps1',
    comments: hash,
    kind: 'run',
    commands: ['pwsh', 'powershell'].map((program) => [
      program,
      '-NoProfile',
      '-NonInteractive',
      '-ExecutionPolicy',
      'Bypass',
      '-File',
    ]),
    systems: ['win32'],
    byteOrderMark: true,
  },
  {
    id: 'javascript',
    aliases: ['js', 'node', 'nodejs', 'node.js', 'mjs', 'cjs'],
    extension: 'js',
    aliasExtensions: { mjs: 'mjs', cjs: 'cjs' },
    comments: slashes,
    kind: 'run',
    commands: [['node']],
  },
  {
    id: 'typescript',
    aliases: ['ts', 'mts', 'cts'],
    extension: 'ts',
    aliasExtensions: { mts: 'mts', cts: 'cts' },
    comments: slashes,
    kind: 'run',
    commands: [['node']],
  },
  { id: 'html', aliases: ['htm'], extension: 'html', comments: angles, kind: 'save' },
  { id: 'css', aliases: [], extension: 'css', comments: slashes, kind: 'save' },
  data('json', ['jsonc', 'json5', 'jsonl', 'ndjson'], slashes),
  data('yaml', ['yml'], hash),
  data('toml', [], hash),
  data('ini', ['cfg', 'conf', 'properties', 'dotenv', 'env'], [...hash, { open: ';' }]),
  data('xml', ['svg'], angles),
  data('csv', ['tsv'], hash),
  data('markdown', ['md'], angles, 'md'),
  data('text', ['txt', 'plain', 'plaintext'], hash, 'txt'),
  data('diff', ['patch'], []),
  data('dockerfile', ['docker', 'containerfile'], hash),
  data('mermaid', [], []),
  // A program's output or a session in a terminal, prompts and all: shown, not meant to be run.
  data(
    'output',
    [
      ...['console', 'terminal', 'shell-session', 'shellsession', 'stdout', 'log', 'traceback'],
      // Gemini's name for the output of `tool_code`, and sessions of Python.
      ...['tool_outputs', 'tool_output', 'pycon', 'pytb'],
    ],
    [],
  ),
  // Languages that answers show more often than they run them. No executor runs one without an added row.
  data('sql', ['mysql', 'postgresql', 'psql', 'plsql', 'sqlite'], [{ open: '--' }]),
  data('r', ['rscript'], hash),
  data('http', ['https'], hash),
]

function data(
  id: string,
  aliases: readonly string[],
  comments: readonly CommentSyntax[],
  extension = id,
): Language {
  return { id, aliases, extension, comments, kind: 'data' }
}
