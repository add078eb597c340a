import { createReadStream } from 'node:fs'
import { UserError } from './user-error.ts'

/** The text of a file, or of standard input for `-`, as a stream. @throws UserError if it cannot be read. */
export async function* readText(path: string): AsyncGenerator<string> {
  const stream = path === '-' ? process.stdin : createReadStream(path)
  stream.setEncoding('utf8')
  try {
    for await (const text of stream) yield text
  } catch (error) {
    if (Reflect.get(Object(error), 'syscall') === undefined) throw error
    throw new UserError(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** All of it. @throws UserError when it cannot be read. */
export async function readWhole(path: string): Promise<string> {
  let text = ''
  for await (const piece of readText(path)) text += piece
  return text
}
