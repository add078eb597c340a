import { parseOptions } from '@fenced/core/driver'
import { z } from '@fenced/core/zod'
import type { SandboxSession, SandboxToolCall } from '../ai-sdk.ts'
import { invalidArgument } from '../session/sandbox-error.ts'
import { viewDirectory } from './view-directory.ts'

/** Options of {@link claudeTextEditor}. */
export interface ClaudeTextEditorOptions {
  /**
   * Maximum number of characters of a file that `view` returns.
   *
   * @default 30_000
   */
  readonly maxCharacters?: number | undefined
}

/** Input of Anthropic's text editor tool, from a model. */
export interface ClaudeTextEditorInput {
  readonly command: 'view' | 'create' | 'str_replace' | 'insert'
  readonly path: string
  readonly file_text?: string | undefined
  readonly old_str?: string | undefined
  readonly new_str?: string | undefined
  readonly insert_line?: number | undefined
  readonly insert_text?: string | undefined
  readonly view_range?: readonly number[] | undefined
}

const optionsSchema = z.strictObject({ maxCharacters: z.int().min(1).default(30_000) })

/**
 * Implements Anthropic's text editor tool for a sandbox's files. If an operation is not possible, the call rejects with a
 * sentence that the AI SDK passes to the model as the call's error.
 *
 * @throws FencedError `INVALID_OPTIONS`. A call rejects with `SANDBOX_INVALID_ARGUMENT` and with the session's errors.
 * @example
 * ```ts
 * tools: {
 *   str_replace_based_edit_tool: anthropic.tools.textEditor_20250728(claudeTextEditor(toSandboxSession(sandbox))),
 * }
 * ```
 */
export function claudeTextEditor(session: SandboxSession, options: ClaudeTextEditorOptions = {}) {
  const { maxCharacters } = parseOptions(optionsSchema, options, 'claudeTextEditor')
  return {
    execute: async (input: ClaudeTextEditorInput, { abortSignal }: SandboxToolCall = {}): Promise<string> => {
      const files = new EditedFiles(session, abortSignal)
      switch (input.command) {
        case 'view':
          return view(files, input, maxCharacters)
        case 'create':
          await files.write(input.path, needed(input, 'file_text'))
          return `The file ${input.path} was written.`
        case 'str_replace':
          return replace(files, input)
        case 'insert':
          return insert(files, input)
        default:
          throw invalidArgument(
            `Unknown command ${JSON.stringify(input.command)}. Use view, create, str_replace or insert.`,
            { command: `${input.command}` },
          )
      }
    },
  }
}

class EditedFiles {
  readonly session: SandboxSession
  readonly signal: { readonly abortSignal?: AbortSignal }

  constructor(session: SandboxSession, abortSignal: AbortSignal | undefined) {
    this.session = session
    this.signal = abortSignal === undefined ? {} : { abortSignal }
  }

  /** For the model's eyes: bytes that are not UTF-8 are replacement characters. */
  async readToShow(path: string): Promise<string> {
    const text = await this.session.readTextFile({ path, ...this.signal })
    if (text === null) throw invalidArgument(`File not found: ${path}.`, { path })
    return text
  }

  /** To be written back: refuses what would be lost. */
  async readToEdit(path: string): Promise<string> {
    const bytes = await this.session.readBinaryFile({ path, ...this.signal })
    if (bytes === null) throw invalidArgument(`File not found: ${path}.`, { path })
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw invalidArgument(
        `The file ${path} is not UTF-8, so an edit would change other bytes in it. Edit it with a command that preserves bytes, such as \`sed\` with LC_ALL=C.`,
        { path, encoding: 'utf-8' },
      )
    }
  }

  async write(path: string, content: string): Promise<void> {
    await this.session.writeTextFile({ path, content, ...this.signal })
  }
}

async function view(
  files: EditedFiles,
  { path, view_range: range }: ClaudeTextEditorInput,
  maxCharacters: number,
): Promise<string> {
  const found = await files.session.stat({ path, ...files.signal })
  if (found?.type === 'directory') {
    const text = await viewDirectory(files.session, path, files.signal)
    return cutTo(text, maxCharacters, 'view a directory in it')
  }
  const lines = linesOf(await files.readToShow(path))
  const [first = 1, last = -1] = range ?? []
  const end = last === -1 ? lines.length : last
  if (first < 1 || (lines.length > 0 && first > lines.length) || end < first - 1) {
    throw invalidArgument(
      `The \`view_range\` [${first}, ${last}] is none of ${path}, which has ${lines.length} lines.`,
      { parameter: 'view_range', value: `[${first}, ${last}]`, path, lines: `${lines.length}` },
    )
  }
  const numbered = lines
    .slice(first - 1, end)
    .map((line, index) => `${`${first + index}`.padStart(6)}\t${line}`)
  return cutTo(numbered.join('\n'), maxCharacters, 'give a `view_range`')
}

/** The beginning of a text that is too long for a model. @param advice - how it reads the rest. */
function cutTo(text: string, maxCharacters: number, advice: string): string {
  if (text.length <= maxCharacters) return text
  const omitted = text.length - maxCharacters
  return `${text.slice(0, maxCharacters)}\n[… ${omitted} characters are left out: ${advice} …]`
}

async function replace(files: EditedFiles, input: ClaudeTextEditorInput): Promise<string> {
  const { path, new_str: replacement = '' } = input
  const old = needed(input, 'old_str')
  const text = await files.readToEdit(path)
  const places = old === '' ? [] : text.split(old)
  if (places.length !== 2) {
    const count = Math.max(places.length - 1, 0)
    throw invalidArgument(
      count === 0
        ? `\`old_str\` not found in ${path}. It must match exactly, with whitespace and line ends.`
        : `\`old_str\` occurs ${count} times in ${path}. Include more of the surrounding text, so that it is unique.`,
      { parameter: 'old_str', path, count: `${count}` },
    )
  }
  await files.write(path, places.join(replacement))
  return `The file ${path} was changed at line ${linesOf(places[0] ?? '').length || 1}.`
}

async function insert(files: EditedFiles, input: ClaudeTextEditorInput): Promise<string> {
  const { path, insert_line: after, insert_text: inserted = input.new_str } = input
  if (inserted === undefined || after === undefined)
    throw invalidArgument('`insert` needs `insert_line` and `insert_text`.', {
      command: 'insert',
      parameter: 'insert_line, insert_text',
    })
  const lines = (await files.readToEdit(path)).split(/(?<=\n)/)
  const count = lines.length === 1 && lines[0] === '' ? 0 : lines.length
  if (after < 0 || after > count)
    throw invalidArgument(`\`insert_line\` ${after} is none of ${path}, which has ${count} lines.`, {
      parameter: 'insert_line',
      value: `${after}`,
      path,
      lines: `${count}`,
    })
  const before = lines.slice(0, after).join('')
  const rest = lines.slice(after).join('')
  const start = before === '' || before.endsWith('\n') ? before : `${before}\n`
  const middle = rest === '' || inserted.endsWith('\n') ? inserted : `${inserted}\n`
  await files.write(path, `${start}${middle}${rest}`)
  return `The text was inserted into ${path} after line ${after}.`
}

/** A line end at the end of a text begins no line. */
function linesOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function needed(input: ClaudeTextEditorInput, name: 'file_text' | 'old_str'): string {
  const value = input[name]
  if (value === undefined)
    throw invalidArgument(`\`${input.command}\` needs \`${name}\`.`, {
      command: input.command,
      parameter: name,
    })
  return value
}
