// Changes one place of a source after the other, and looks whether a test notices it. It prints the changes that none notices.

import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type Vitest } from 'vitest/node'
import { type Area, areas } from './areas.ts'
import { type Mutant, mutantsOf } from './places.ts'

/** How many must be killed, in per cent. */
const leastKilled = 80

/** A run that takes longer has a mutant that never ends. */
const limitMs = 60_000

const root = resolve(import.meta.dirname, '../..')
process.chdir(root)
process.env.FENCED_TEST_LEVEL ??= 'test'
process.env.FENCED_SKIP ??= 'docker,podman,kubernetes'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string' }, list: { type: 'boolean', default: false } },
})
let current: Mutant | undefined
/** Files of tests that failed last. */
let failures: readonly string[] = []
let failed = false
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
  await requirePasses(area)
  const survivors: Mutant[] = []
  for (const mutant of mutants) {
    current = mutant
    if (!(await passes(area.tests))) continue
    survivors.push(mutant)
    print(mutant)
  }
  current = undefined
  // Otherwise a mutant has left something that also killed those after it.
  await requirePasses(area)
  const share = (100 * (mutants.length - survivors.length)) / mutants.length
  process.stdout.write(`${area.name}: ${share.toFixed(0)} % of ${mutants.length} mutants killed\n`)
  return share >= leastKilled
}

async function requirePasses({ name, tests }: Area): Promise<void> {
  if (!(await passes(tests)))
    throw new Error(`The tests of ${name} fail without a mutant: ${failures.join(', ')}`)
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

/** The nearest tests come first: what they notice, the others need not. Each run is new: Vitest could keep a module of an earlier one. */
async function passes(groups: readonly (readonly string[])[]): Promise<boolean> {
  for (const group of groups) {
    const vitest = await start([...group])
    try {
      const timer = setTimeout(killWorkers, limitMs)
      const specifications = await vitest.globTestSpecifications()
      const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
      clearTimeout(timer)
      failures = testModules.filter((module) => !module.ok()).map((module) => module.relativeModuleId)
      if (failures.length + unhandledErrors.length > 0 || testModules.length === 0) return false
    } finally {
      await vitest.close()
    }
  }
  return true
}

function killWorkers(): void {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
  for (const id of children) process.kill(Number(id), 'SIGKILL')
}
