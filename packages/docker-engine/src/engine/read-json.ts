import { readFile } from 'node:fs/promises'
import { FencedError } from '@fenced/core'
import { z } from 'zod'

/**
 * Reads one of the files of docker's CLI; `undefined` when it is not there.
 *
 * @throws FencedError `ENGINE_UNREACHABLE`: which engine is meant cannot be known without it, and we do not guess.
 */
export async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (parsed.success) return parsed.data
    throw new Error(z.prettifyError(parsed.error))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new FencedError({
      code: 'ENGINE_UNREACHABLE',
      message: `Which Docker engine to use stands in ${file}, but that cannot be read: ${(cause as Error).message}. Repair the file, or name the engine with the \`docker\` option or DOCKER_HOST.`,
      cause,
    })
  }
}
