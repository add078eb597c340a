import { bareProcess } from '../bare-process.ts'
import { beside } from '../beside.ts'
import { type Contender, compare } from '../compare.ts'
import type { Row } from '../row.ts'
import type { Places } from './block.ts'

export const byteCount = 100e6

/** In the working directory of every place. */
export const outputFile = 'output.txt'

/** 100 MB of output: awaited under the default limits, on a pipe whose reader only counts, and as AutoGen does it. */
export async function outputRows(
  { executor, container, autogen }: Places,
  { rounds }: { readonly rounds: number },
): Promise<Row[]> {
  const block = { language: 'sh', code: `exec cat ${outputFile}` }
  const contenders: Record<string, Contender> = {
    ours: () => executor.execute([block]),
    piped: () => bareProcess('docker', ['exec', container.id, 'cat', `/workspace/${outputFile}`]),
  }
  if (autogen !== undefined) contenders.autogen = () => autogen.run(block.language, block.code)
  const { ours, piped, autogen: theirs } = await compare({ rounds, warmUpRounds: 1, contenders })
  return [
    ...beside({
      measured: '100 MB of output, awaited ÷ `docker exec` on a bare pipe',
      ours,
      reference: piped,
      goal: 1,
    }),
    ...beside({ measured: '100 MB of output, awaited ÷ AutoGen', ours, reference: theirs, goal: 1 }),
  ]
}
