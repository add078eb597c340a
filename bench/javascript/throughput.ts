import { availableParallelism } from 'node:os'
import { beside } from '../beside.ts'
import { compare, type Measured } from '../compare.ts'
import type { Row } from '../row.ts'
import { scratchDirectory } from '../scratch-directory.ts'
import { threeDigits } from '../three-digits.ts'
import { goal } from './goal.ts'
import type { Language } from './language.ts'
import { runNode } from './node-process.ts'
import { Programs } from './programs.ts'
import { WaitingNode } from './waiting-node.ts'

const programsEach = 8

/** Programs one after the other, while a processor is free for the next Node's start, and while none is. */
export async function throughputRows(language: Language, rounds: number): Promise<Row[]> {
  const title = `.${language.extension}: ${programsEach} without a pause`
  const all = availableParallelism()
  return [
    ...(await sequencesRows(`${title}, Nodes started one ahead`, language, 1, rounds)),
    ...(await sequencesRows(`${title} in ${all} sequences at once, one ahead`, language, all, rounds)),
  ]
}

async function sequencesRows(
  title: string,
  language: Language,
  sequences: number,
  rounds: number,
): Promise<Row[]> {
  await using scratch = await scratchDirectory()
  const programs = new Programs(scratch.path, language)
  const atOnce = (run: typeof runPlainly) => () =>
    Promise.all(Array.from({ length: sequences }, () => run(language, programs)))
  const { oneAhead, bare } = await compare({
    rounds,
    warmUpRounds: 1,
    contenders: { oneAhead: atOnce(runOneAhead), bare: atOnce(runPlainly) },
  })
  const perSecond = (time: Measured) => threeDigits((sequences * programsEach * 1000) / time.p50)
  const note = `${perSecond(oneAhead)} programs per second beside ${perSecond(bare)}`
  const rows = beside({ measured: `${title} ÷ bare \`node\``, ours: oneAhead, reference: bare, goal })
  return rows.map((row) => ({ ...row, note }))
}

async function runPlainly({ options }: Language, programs: Programs): Promise<void> {
  for (let run = 0; run < programsEach; run++) await runNode([...options, programs.new()])
}

/** As many Nodes as programs: none is there when it begins, and none is left. */
async function runOneAhead(language: Language, programs: Programs): Promise<void> {
  let next = new WaitingNode(language)
  for (let run = 0; run < programsEach; run++) {
    const ended = next.run(programs.new())
    if (run < programsEach - 1) next = new WaitingNode(language)
    await ended
  }
}
