import type { TestFunctions } from './contract.ts'

/** What several rows use, one after another. A row that fails may have broken it, so the next row gets a new one. */
export class Shared<Subject> {
  readonly #create: () => Subject | Promise<Subject>
  readonly #end: (subject: Subject) => Promise<void>
  #subject: Subject | undefined

  constructor({ create, end }: Pick<Suite<never, Subject>, 'create' | 'end'>) {
    this.#create = create
    this.#end = end
  }

  async use<Value>(check: (subject: Subject) => Promise<Value>): Promise<Value> {
    this.#subject ??= await this.#create()
    try {
      return await check(this.#subject)
    } catch (error) {
      await this.end().catch(() => {})
      throw error
    }
  }

  async end(): Promise<void> {
    const subject = this.#subject
    this.#subject = undefined
    if (subject !== undefined) await this.#end(subject)
  }
}

interface SuiteRow {
  readonly name: string
  /** Whether the row gets a separate subject. */
  readonly own?: true
}

/** Rows, and what they are about. */
export interface Suite<Row extends SuiteRow, Subject> {
  readonly name: string
  readonly chapters: Readonly<Record<string, readonly Row[]>>
  /** Whether all chapters use one subject, which ends after the last one. Default: one per chapter. */
  readonly isOne?: boolean
  /** Name of the test that ends a subject. */
  readonly ending: string
  /** A hang, not a speed, in milliseconds. Default 120,000. */
  readonly timeout?: number
  create(): Subject | Promise<Subject>
  end(subject: Subject): Promise<void>
  /** Why a row does not apply. */
  whySkipped(row: Row): string | undefined
  /** Resolves with a reason, as a string, if the row turns out not to apply to the subject. */
  check(row: Row, subject: Subject): Promise<unknown>
}

type TestBody = Parameters<TestFunctions['it']>[2]

/** Registers the rows of a suite with a test runner. */
export function describeSuite<Row extends SuiteRow, Subject>(
  { describe, it }: TestFunctions,
  suite: Suite<Row, Subject>,
): void {
  const { name, chapters, isOne = false, ending, timeout = 120_000, check } = suite
  const register = (title: string, run: TestBody, skip = false) =>
    it(title, { skip, timeout, concurrent: false }, run)
  const one = new Shared(suite)
  for (const [chapter, rows] of Object.entries(chapters)) {
    describe(`${name}: ${chapter}`, () => {
      const shared = isOne ? one : new Shared(suite)
      for (const row of rows) {
        const why = suite.whySkipped(row)
        const title = why === undefined ? row.name : `${row.name} (skipped: ${why})`
        const run: TestBody = async ({ skip }) => {
          const own = row.own ? new Shared(suite) : undefined
          const reason = await (own ?? shared).use((subject) => check(row, subject))
          await own?.end()
          if (typeof reason === 'string') skip(reason)
        }
        register(title, run, why !== undefined)
      }
      if (!isOne) register(ending, () => shared.end())
    })
  }
  if (isOne) describe(`${name}: the end`, () => void register(ending, () => one.end()))
}
