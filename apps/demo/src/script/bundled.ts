import { readFile } from 'node:fs/promises'

/** A text that comes with the demo. */
export async function readBundled(path: string): Promise<string> {
  const text = await readFile(new URL(`../../scripts/${path}`, import.meta.url), 'utf8')
  return text.trimEnd()
}
