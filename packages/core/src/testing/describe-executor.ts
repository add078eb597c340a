import { cancellingRows } from './cancelling-rows.ts'
import type { ContractContext, ContractRow, ContractSubject, TestFunctions } from './contract.ts'
import { eventRows } from './event-rows.ts'
import { faults, tryFault } from './faults.ts'
import { fileRows } from './file-rows.ts'
import { lifeCycleRows } from './life-cycle-rows.ts'
import { outputRows } from './output-rows.ts'
import type { ContractPrograms } from './programs.ts'
import { resultRows } from './result-rows.ts'
import { blockIn, missingProgram, type SubjectLanguage, subjectLanguages } from './subject-language.ts'

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
 * through real executors. What an executor's capabilities do not promise is not asked of it. The programs are in
 * Python, JavaScript or sh, or in a language of yours (`programs`); the hostile inputs are asked in each of them.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeExecutor } from '@fenced/core/testing'
 *
 * describeExecutor({ describe, it }, { name: 'mine', create: (options) => new MyExecutor(options) })
 * ```
 */
export function describeExecutor(functions: TestFunctions, subject: ContractSubject): void {
  const { describe } = functions
  const register = registerWith(functions, subject)
  const { capabilities } = subject.create({})
  const languages = capabilities.languages.filter((language) => !subject.missingLanguages?.includes(language))
  const [language, ...others] = subjectLanguages(languages, subject.programs ?? {})
  if (language === undefined) {
    register({ name: 'the contract has programs in a language of it' }, async () => {
      throw new Error(
        `The contract has no programs in ${languages.join(', ')}: give it some, \`programs: { ${languages[0]}: { print: (text) => … } }\`.`,
      )
    })
    return
  }
  const context: ContractContext = {
    create: (options = {}) => subject.create(options),
    capabilities: { ...capabilities, languages },
    // A row is not asked where one of those that it needs is missing.
    programs: language.programs as ContractPrograms,
    block: (...lines) => blockIn(language, lines),
  }
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      for (const { name, needs = [], unless, check } of rows) {
        if (unless?.(context.capabilities) !== undefined) continue
        register({ name, notAsked: missingProgram(language, needs) }, () => check(context))
      }
    })
  }
  describe(`${subject.name}: thirteen faults`, () => {
    const asked = [language, ...others].filter(({ id }) => subject.faultLanguages?.includes(id) ?? true)
    describeFaults(subject.name, { context, register, languages: asked })
  })
}

interface Row {
  readonly name: string
  /** What follows the name where the same row is asked twice. */
  readonly variant?: string
  /** Why it cannot be asked. */
  readonly notAsked?: string | undefined
}

type Register = (row: Row, check: () => Promise<void>) => void

function registerWith({ it }: TestFunctions, { except = {} }: ContractSubject): Register {
  return ({ name, variant = '', notAsked }, check) => {
    const excepted = except[name]
    const why = excepted === undefined ? notAsked && `not asked: ${notAsked}` : `skipped: ${excepted}`
    const title = why === undefined ? `${name}${variant}` : `${name}${variant} (${why})`
    it(title, { skip: why !== undefined, timeout }, check)
  }
}

interface FaultParts {
  readonly context: ContractContext
  readonly register: Register
  readonly languages: readonly SubjectLanguage[]
}

/** All on one executor: each must leave it usable for the next. The last row prints what was seen. */
function describeFaults(name: string, { context, register, languages }: FaultParts): void {
  const executor = context.create({ timeoutMs: 60_000 })
  const table: string[] = []
  for (const [index, language] of languages.entries()) {
    // The first language needs no mention: most executors run one.
    const variant = index === 0 ? '' : ` (${language.id})`
    for (const fault of faults) {
      const input = `${fault.input}${variant}`
      const notAsked = fault.unless?.(context.capabilities) ?? missingProgram(language, fault.needs)
      if (notAsked !== undefined) {
        table.push(`${input} | not asked: ${notAsked}`)
        continue
      }
      register({ name: fault.input, variant }, async () => {
        table.push(`${input} | ${await tryFault(fault, language, executor)} | must be: ${fault.seen}`)
      })
    }
  }
  register({ name: 'the table of what was seen' }, async () => {
    await executor.stop()
    process.stdout.write(
      `\nThe thirteen faults on "${name}":\n${table.map((line) => `  ${line}\n`).join('')}`,
    )
  })
}
