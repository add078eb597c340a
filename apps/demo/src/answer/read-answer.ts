import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type CodeBlock, extractCodeBlocks } from '@fenced/core'
import { fromWhereTyped } from '../executor/from-where-typed.ts'
import { UserError } from '../user-error.ts'

/** A model's answer and the blocks in it. */
export interface Answer {
  /** How the screen names it. */
  readonly title: string
  readonly blocks: readonly CodeBlock[]
}

/** Reads an answer that the user named: a file, or `-` for standard input. */
export async function readAnswer(file: string): Promise<Answer> {
  const title = file === '-' ? 'standard input' : file
  const markdown = decode(file === '-' ? await readStandardInput() : await readBytes(file), title)
  if (markdown.trim() === '') throw new UserError(`${title} is empty: nothing to run.`)
  const blocks = extractCodeBlocks(markdown)
  if (blocks.length === 0) {
    throw new UserError(`${title} has no fenced code block in it: nothing to run.`)
  }
  return { title, blocks }
}

function readStandardInput(): Promise<Uint8Array> {
  // Somebody at a terminal would wonder why nothing happens.
  if (process.stdin.isTTY) process.stderr.write('Paste the answer, then Enter and Ctrl-D.\n')
  return buffer(process.stdin)
}

async function readBytes(file: string): Promise<Uint8Array> {
  if (file === '') throw new UserError('The name of the answer’s file is empty.')
  try {
    return await readFile(fromWhereTyped(file))
  } catch (error) {
    throw new UserError(`Cannot read ${file}: ${reasonOf(error)}.`)
  }
}

/** Bytes that are no UTF-8 would be a program that nobody wrote. */
function decode(bytes: Uint8Array, title: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {}
  throw new UserError(`${title} is not a text file in UTF-8.`)
}

function reasonOf(error: unknown): string {
  const { code } = Object(error) as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a directory'
  if (code === 'EACCES') return 'it is not yours to read'
  return String(error)
}
