// Compares the speed of Fenced with that of what it uses and of similar libraries: `pnpm bench --help` lists the options and the benches.
// stdout has the tables or JSON, stderr everything else.
import { writeFile } from 'node:fs/promises'
import { type Arguments, readArguments, usage } from './arguments.ts'
import { benches } from './benches.ts'
import { chart } from './chart.ts'
import { failures, isTimeOver, limitTime, type Row, rowsIfMeasured } from './measure.ts'
import { makePythons, planBenches } from './needs.ts'
import { writeTable } from './page.ts'
import { caption, machine, table } from './table.ts'

/** How much of the two minutes of `--quick` is for measuring, and how much for one comparison, in milliseconds. */
const quickMs = { total: 90_000, comparison: 600 } as const
const quickRounds = 3

try {
  const options = readArguments(process.argv.slice(2), [...benches.keys()])
  if (options.help) console.log(usage + listOfBenches())
  else await measureAll(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function listOfBenches(): string {
  return [...benches].map(([name, { about }]) => `  ${name.padEnd(18)} ${about}`).join('\n')
}

/** Prints each table when it is complete, so that a later failure loses none. */
async function measureAll({
  names: wanted,
  json,
  svg,
  peers,
  quick,
  write,
  ...given
}: Arguments): Promise<void> {
  const chosen = new Map([...benches].filter(([name]) => wanted.includes(name)))
  const named = quick ? { ...given, rounds: given.rounds ?? quickRounds } : given
  const options = peers ? await makePythons(chosen, named) : named
  const { names, lines } = await planBenches(chosen, options)
  for (const line of lines) console.error(line)
  if (quick) limitTime(quickMs)
  const rows: Row[] = []
  const left: string[] = []
  for (const name of names) {
    const bench = benches.get(name)
    if (bench === undefined || (quick && bench.isLong === true) || isTimeOver()) {
      left.push(name)
      continue
    }
    console.error(`${name} ...`)
    const measured = await rowsIfMeasured(name, () => bench.run(options))
    rows.push(...measured)
    if (write && measured.length > 0) await writeTable(name, measured)
    if (!json && measured.length > 0) console.log(`\n${name}\n\n${table(measured)}`)
  }
  if (left.length > 0) {
    const command = `npx -y pnpm bench ${left.join(' ')}`
    console.error(`Left out by --quick: ${left.join(', ')}. Run: ${command}`)
  }
  const report = { machine, rows }
  if (json) console.log(JSON.stringify({ ...report, failures }, null, 2))
  else if (rows.length > 0) console.log(`\n${caption(report)}`)
  if (svg !== undefined) await writeFile(svg, chart(report))
  if (failures.length === 0) return
  console.error(`Failed: ${failures.join(', ')}. The reasons are above; every other table is complete.`)
  process.exitCode = 1
}
