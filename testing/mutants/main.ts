// Changes one place of a source after the other, and looks whether a test notices it. It prints the changes that none notices.

import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type Vitest } from 'vitest/node'
import { type Area, areas } from './areas.ts'
import { type Mutant, mutantsOf } from './places.ts'
import { isListed, survivors } from './survivors.ts'

/** How many must be killed, in per cent. */
const leastKilled = 80

/** A run that takes longer has a mutant that never ends. */
const limitMs = 60_000

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
// What needs a sandbox belongs to this level.
process.env.FENCED_TEST_LEVEL ??= 'all'
process.env.FENCED_SKIP ??= 'docker,podman,kubernetes'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string' }, list: { type: 'boolean', default: false } },
})
let current: Mutant | undefined
/** Files of tests that failed last. */
let failures: readonly string[] = []
let failed = false
for (const { file, change } of survivors) {
  const names = globSync(file).flatMap((path) =>
    mutantsOf(path, readFileSync(path, 'utf8')).map(({ name }) => name),
  )
  if (!names.includes(change)) process.stdout.write(`Gone, and still in survivors.ts: ${file} ${change}\n`)
}
for (const area of areas.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const mutants = globSync(area.sources, { exclude: ['**/*.{test,fixture}.ts'] })
    .sort()
    .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')))
    .filter((mutant) => isInSample(mutant, Number(values.every ?? area.every)))
  if (values.list) mutants.forEach(print)
  else if (!(await isCovered(area, mutants))) failed = true
}
process.exit(failed ? 1 : 0)

function print({ file, line, name }: Mutant): void {
  process.stdout.write(`${file}:${line} ${name}\n`)
}

/** By its name, so that the sample stays the same after changes elsewhere. */
function isInSample({ file, name }: Mutant, every: number): boolean {
  const hash = createHash('sha256').update(`${file} ${name}`).digest()
  return hash.readUInt32BE() % every === 0
}

async function isCovered(area: Area, mutants: readonly Mutant[]): Promise<boolean> {
  const counts = await countsOfTests(area)
  let killedCount = 0
  let listedCount = 0
  for (const mutant of mutants) {
    current = mutant
    const isKilled = !(await passes(area.tests, counts))
    if (isKilled) killedCount++
    if (!isListed(mutant)) {
      if (!isKilled) print(mutant)
    } else if (isKilled)
      process.stdout.write(`Killed, and still in survivors.ts: ${mutant.file} ${mutant.name}\n`)
    else listedCount++
  }
  current = undefined
  // Otherwise a mutant has left something that also killed those after it.
  await countsOfTests(area)
  const share = (100 * killedCount) / mutants.length
  process.stdout.write(
    `${area.name}: ${share.toFixed(0)} % of ${mutants.length} mutants killed, ${listedCount} survive for a reason\n`,
  )
  return share >= leastKilled
}

/** How many tests of each group pass without a mutant. */
async function countsOfTests({ name, tests }: Area): Promise<number[]> {
  const counts: number[] = []
  for (const group of tests) {
    const count = await countPassed(group)
    if (count === undefined)
      throw new Error(`The tests of ${name} fail without a mutant: ${failures.join(', ')}`)
    counts.push(count)
  }
  return counts
}

/** A mutant replaces its module in the tests; no file is changed. */
function start(include: string[]): Promise<Vitest> {
  const conditions = ['@fenced/source', 'node', 'import', 'default']
  const mutation = {
    name: 'mutation',
    enforce: 'pre' as const,
    transform: (_: string, id: string) =>
      current !== undefined && id === join(root, current.file) ? current.mutated : undefined,
  }
  return createVitest(
    {
      config: false,
      root,
      include,
      watch: false,
      bail: 1,
      // It would keep the modules without their mutants.
      fsModuleCache: false,
      maxWorkers: 1,
      runner: './testing/runner.ts',
      execArgv: ['--conditions=@fenced/source'],
      reporters: [{}],
      testTimeout: 15_000,
      hookTimeout: 15_000,
    },
    { plugins: [mutation], resolve: { conditions }, ssr: { resolve: { conditions } } },
  )
}

/** The nearest tests come first: what they notice, the others need not. A mutant that makes tests skip is noticed, too. */
async function passes(groups: readonly (readonly string[])[], counts: readonly number[]): Promise<boolean> {
  for (const [index, group] of groups.entries())
    if ((await countPassed(group)) !== counts[index]) return false
  return true
}

/** How many tests pass; `undefined` when one fails. Each run is new: Vitest could keep a module of an earlier one. */
async function countPassed(files: readonly string[]): Promise<number | undefined> {
  const vitest = await start([...files])
  try {
    const timer = setTimeout(killWorkers, limitMs)
    const specifications = await vitest.globTestSpecifications()
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
    clearTimeout(timer)
    failures = testModules.filter((module) => !module.ok()).map((module) => module.relativeModuleId)
    if (failures.length + unhandledErrors.length > 0 || testModules.length === 0) return undefined
    return testModules.reduce((sum, { children }) => sum + [...children.allTests('passed')].length, 0)
  } finally {
    await vitest.close()
  }
}

function killWorkers(): void {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  for (const id of children) process.kill(Number(id), 'SIGKILL')
}
