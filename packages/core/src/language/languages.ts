import type { CommentSyntax, Language } from './language.ts'

const hash: readonly CommentSyntax[] = [{ open: '#' }]
const slashes: readonly CommentSyntax[] = [{ open: '//' }, { open: '/*', close: '*/' }]
const angles: readonly CommentSyntax[] = [{ open: '<!--', close: '-->' }]

/**
 * The languages that Fenced knows, without what a single place adds. `pwsh`, `ps1` and `powershell` are one
 * language, and so are `sh` and `shell`, as in AutoGen; `bash` is its own, and runs what is labelled `zsh`: what a
 * model writes for one is read by the other. `tool_code` is what Gemini writes behind its fences for Python.
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
  { id: 'bash', aliases: ['zsh'], extension: 'sh', comments: hash, kind: 'run', commands: [['bash']] },
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
    byteOrderMark: true,
  },
  {
    id: 'javascript',
    aliases: ['js', 'node', 'nodejs', 'node.js', 'mjs', 'cjs'],
    extension: 'js',
    comments: slashes,
    kind: 'run',
    commands: [['node']],
  },
  {
    id: 'typescript',
    aliases: ['ts', 'mts', 'cts'],
    extension: 'ts',
    comments: slashes,
    kind: 'run',
    commands: [['node', '--disable-warning=ExperimentalWarning']],
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
  data('output', ['console', 'terminal', 'shell-session', 'shellsession', 'stdout', 'log', 'traceback'], []),
]

function data(
  id: string,
  aliases: readonly string[],
  comments: readonly CommentSyntax[],
  extension = id,
): Language {
  return { id, aliases, extension, comments, kind: 'data' }
}
