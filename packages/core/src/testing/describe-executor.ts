import { cancellingRows } from './cancelling-rows.ts'
import type { ContractContext, ContractRow, ContractSubject, TestFunctions } from './contract.ts'
import { unlessPython } from './contract.ts'
import { eventRows } from './event-rows.ts'
import { faults, tryFault } from './faults.ts'
import { fileRows } from './file-rows.ts'
import { lifeCycleRows } from './life-cycle-rows.ts'
import { outputRows } from './output-rows.ts'
import { resultRows } from './result-rows.ts'

const chapters: Readonly<Record<string, readonly ContractRow[]>> = {
  'life cycle': lifeCycleRows,
  results: resultRows,
  events: eventRows,
  'cancelling and waiting': cancellingRows,
  output: outputRows,
  files: fileRows,
}

/** A hang, not a speed. */
const timeout = 120_000

/**
 * The contract of a {@link CodeExecutor}, as tests: registers them with a test runner, and runs real programs
 * through real executors. What an executor's capabilities do not promise is not asked of it. The programs are
 * Python, and JavaScript or sh where there is none.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeExecutor } from '@fenced/core/testing'
 *
 * describeExecutor({ describe, it }, { name: 'mine', create: (options) => new MyExecutor(options) })
 * ```
 */
export function describeExecutor({ describe, it }: TestFunctions, subject: ContractSubject): void {
  const context = contextOf(subject)
  const register: Register = (name, check) => {
    const excepted = subject.except?.[name]
    const title = excepted === undefined ? name : `${name} (skipped: ${excepted})`
    it(title, { skip: excepted !== undefined, timeout }, check)
  }
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      for (const { name, unless, check } of rows) {
        if (unless?.(context.capabilities) === undefined) register(name, () => check(context))
      }
    })
  }
  describe(`${subject.name}: thirteen faults`, () => describeFaults(subject.name, context, register))
}

function contextOf({ create, missingLanguages = [] }: ContractSubject): ContractContext {
  const { capabilities } = create({})
  const languages = capabilities.languages.filter((language) => !missingLanguages.includes(language))
  return { create: (options = {}) => create(options), capabilities: { ...capabilities, languages } }
}

type Register = (name: string, check: () => Promise<void>) => void

/** All on one executor: each must leave it usable for the next. The last row prints what was seen. */
function describeFaults(name: string, { create, capabilities }: ContractContext, register: Register): void {
  const executor = create({ timeoutMs: 60_000 })
  const table: string[] = []
  for (const fault of faults) {
    const reason = unlessPython(capabilities) ?? fault.unless?.(capabilities)
    if (reason !== undefined) {
      table.push(`${fault.input} | not asked: ${reason}`)
      continue
    }
    register(fault.input, async () => {
      table.push(`${fault.input} | ${await tryFault(fault, executor)} | must be: ${fault.seen}`)
    })
  }
  register('the table of what was seen', async () => {
    await executor.stop()
    process.stdout.write(
      `\nThe thirteen faults on "${name}":\n${table.map((line) => `  ${line}\n`).join('')}`,
    )
  })
}
