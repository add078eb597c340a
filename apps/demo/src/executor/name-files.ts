import { readdir } from 'node:fs/promises'
import { colors } from '../terminal/colors.ts'
import { widthOf } from '../terminal/facts.ts'
import { wrap } from '../terminal/wrap.ts'

/** Says at the end where the files are, if there are any. */
export async function nameFiles(workDir: string | undefined, terminal: NodeJS.WriteStream): Promise<void> {
  const names = workDir === undefined ? [] : await readdir(workDir).catch(() => [])
  if (names.length === 0 || !terminal.writable) return
  const text = wrap(`What was made stays in ${workDir}`, widthOf(terminal))
  terminal.write(`\n${colors.dim(text)}\n`)
}
