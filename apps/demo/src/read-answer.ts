import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { type CodeBlock, extractCodeBlocks } from '@fenced/core'
import { UserError } from './user-error.ts'

/** A model's answer and the blocks in it. */
export interface Answer {
  /** How the screen names it. */
  readonly title: string
  readonly blocks: readonly CodeBlock[]
}

/** Reads an answer that the user named: a file, or `-` for standard input. */
export async function readAnswer(file: string): Promise<Answer> {
  const title = file === '-' ? 'standard input' : file
  const bytes = file === '-' ? await text(process.stdin) : await readBytes(file)
  if (bytes.includes('\0')) throw new UserError(`${title} is not a text file.`)
  const blocks = extractCodeBlocks(bytes)
  if (blocks.length === 0) {
    throw new UserError(`${title} has no fenced code block in it: nothing to run.`)
  }
  return { title, blocks }
}

async function readBytes(file: string): Promise<string> {
  try {
    return await readFile(fromWhereTyped(file), 'utf8')
  } catch (error) {
    throw new UserError(`Cannot read ${file}: ${reasonOf(error)}.`)
  }
}

/** pnpm runs a script in the workspace, and says in INIT_CWD where the user typed it. */
export function fromWhereTyped(path: string): string {
  return resolve(process.env.INIT_CWD ?? process.cwd(), path)
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES') return 'it is not yours to read'
  return String(error)
}
