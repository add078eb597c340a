import { cancellingRows } from './cancelling-rows.ts'
import type { ContractContext, ContractRow, ContractSubject, SharedRow, TestFunctions } from './contract.ts'
import { eventRows } from './event-rows.ts'
import { faults, tryFault } from './faults.ts'
import { fileRows } from './file-rows.ts'
import { lifeCycleRows } from './life-cycle-rows.ts'
import { outputRows } from './output-rows.ts'
import type { ContractPrograms } from './programs.ts'
import { resultRows } from './result-rows.ts'
import { blockIn, missingProgram, type SubjectLanguage, subjectLanguages } from './subject-language.ts'
import { Shared } from './suite.ts'

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
 * Registers the contract tests for a `CodeExecutor` with a test runner. They run real programs through real executors. Rows
 * for capabilities that the executor does not claim are skipped. The programs are in Python, JavaScript, sh, or a language of
 * your own (`programs`); the hostile inputs are tested in each of them. Most rows spend their time waiting, so with Vitest you
 * can pass `{ describe: describe.concurrent, it }` to run rows that share no executor in parallel.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest' // or from 'node:test'
 * import { describeExecutor } from '@fenced/contract'
 *
 * describeExecutor({ describe, it }, { name: 'mine', create: (options) => new MyExecutor(options) })
 * ```
 */
export function describeExecutor(functions: TestFunctions, subject: ContractSubject): void {
  const { describe } = functions
  const register = registerWith(functions, subject)
  const probe = subject.create({})
  const { capabilities } = probe
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
    language: language.id,
    // A row is not asked where one of those that it needs is missing.
    programs: language.programs as ContractPrograms,
    block: (...lines) => blockIn(language, lines),
  }
  const asked = (rows: readonly ContractRow[]) =>
    rows.filter(({ unless }) => unless?.({ ...context, executor: probe }) === undefined)
  const isAsked = ({ id }: SubjectLanguage) => subject.faultLanguages?.includes(id) ?? true
  for (const faultLanguage of [language, ...others].filter(isAsked)) {
    // The first language needs no mention: most executors run one.
    const variant = faultLanguage === language ? '' : ` (${faultLanguage.id})`
    describe(`${subject.name}: thirteen faults${variant}`, () => {
      describeFaults(subject.name, { context, register, language: faultLanguage, variant })
    })
  }
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${subject.name}: ${chapter}`, () => {
      describeRows(asked(rows), { context, register, language })
    })
  }
}

interface Parts {
  readonly context: ContractContext
  readonly register: Register
  readonly language: SubjectLanguage
}

/** First those that share an executor, one after the other. */
function describeRows(rows: readonly ContractRow[], { context, register, language }: Parts): void {
  const sharing = rows.filter((row): row is SharedRow => 'checkShared' in row)
  const shared = new Shared({ create: () => context.create(), end: (executor) => executor.stop() })
  for (const { name, needs = [], checkShared } of sharing) {
    const check = () => shared.use((executor) => checkShared({ ...context, executor }))
    register({ name, notAsked: missingProgram(language, needs), shares: true }, check)
  }
  if (sharing.length > 0)
    register({ name: 'the executor of these rows stops', shares: true }, () => shared.end())
  for (const row of rows) {
    if ('checkShared' in row) continue
    register({ name: row.name, notAsked: missingProgram(language, row.needs ?? []) }, () =>
      row.check(context),
    )
  }
}

interface Row {
  readonly name: string
  /** The suffix of a row that runs twice. */
  readonly variant?: string
  /** Why it cannot be asked. */
  readonly notAsked?: string | undefined
  /** Whether it uses the same executor as the row before it. */
  readonly shares?: boolean
}

type Register = (row: Row, check: () => Promise<void>) => void

function registerWith({ it }: TestFunctions, { except = {} }: ContractSubject): Register {
  return ({ name, variant = '', notAsked, shares = false }, check) => {
    const excepted = except[name]
    const why = excepted === undefined ? notAsked && `not asked: ${notAsked}` : `skipped: ${excepted}`
    const title = why === undefined ? `${name}${variant}` : `${name}${variant} (${why})`
    it(title, { skip: why !== undefined, timeout, ...(shares && { concurrent: false }) }, check)
  }
}

interface FaultParts extends Parts {
  readonly variant: string
}

/** All on one executor: each must leave it usable for the next. The last row prints what was seen. */
function describeFaults(name: string, { context, register, language, variant }: FaultParts): void {
  const executor = context.create({ timeoutMs: 60_000 })
  const table: string[] = []
  for (const fault of faults) {
    const notAsked =
      fault.unless?.(context.capabilities, language.id) ?? missingProgram(language, fault.needs)
    if (notAsked !== undefined) {
      table.push(`${fault.input} | not asked: ${notAsked}`)
      continue
    }
    register({ name: fault.input, variant, shares: true }, async () => {
      table.push(`${fault.input} | ${await tryFault(fault, language, executor)} | must be: ${fault.seen}`)
    })
  }
  register({ name: 'the executor of these rows stops', shares: true }, () => executor.stop())
  register({ name: 'the table of what was seen', variant, shares: true }, async () => {
    process.stdout.write(
      `\nThe thirteen faults on "${name}"${variant}:\n${table.map((line) => `  ${line}\n`).join('')}`,
    )
  })
}
