import { readFile, stat } from 'node:fs/promises'
import { extractCodeBlocks } from '@fenced/markdown'

/** A larger file is not read before its programs run, in bytes. */
const largestBytes = 2 ** 20

/** Whether a file has one program at most. What is still being written, as a pipe, may have more. */
export async function hasSingleProgram(path: string, startsInReasoning: boolean): Promise<boolean> {
  try {
    const status = await stat(path)
    if (!status.isFile() || status.size > largestBytes) return false
    return extractCodeBlocks(await readFile(path, 'utf8'), { startsInReasoning }).length <= 1
  } catch {
    // The run reports it.
    return false
  }
}
