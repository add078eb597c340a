import { relative } from 'node:path'
import { type RunnerTask, type RunnerTestFile, type TestContext, TestRunner } from 'vitest'
import { everyRow } from './every-row.ts'
import { currentLevel, isLeftOut, ofLaterLevel } from './levels.ts'
import { passed } from './passed.ts'
import { usePreparations } from './preparations.ts'
import { type MissingRequirement, missingRequirements } from './requirement.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What was missing when it was decided whether this task is skipped; of a file, all that its tests asked for. */
    missing?: MissingRequirement[]
  }
}

const passedBefore = new Map(Object.entries(passed.tests).map(([file, names]) => [file, new Set(names)]))

const hasPassedBefore = { name: 'passed-before', problem: 'they passed in the run before this one' }

let onMissing: ((message: unknown) => void) | undefined

/** Waits for what a file needs, leaves out what passed before or belongs to a later level, and notes at each test, for the list at the end, which missing requirement was asked for right before it was defined. Gives tests `everyRow`. */
export default class RequirementRunner extends TestRunner {
  #listening = Promise.withResolvers<void>()

  override async importFile(...[path, source]: Parameters<TestRunner['importFile']>): Promise<unknown> {
    if (source === 'collect') {
      // Vitest calls `onCollectStart` after a message to its main process, which it does not wait for.
      await this.#listening.promise
      this.#listening = Promise.withResolvers()
      await usePreparations(path)
    }
    return super.importFile(path, source)
  }

  /** Where a test is made: what is marked later is not reported. */
  override extendTaskContext(context: TestContext): TestContext {
    const { task } = context
    const cause = whyLeftOut(relative(process.cwd(), task.file.filepath), task.fullTestName)
    if (cause !== undefined) {
      Object.assign(task, { mode: 'skip' })
      note(task, cause)
    }
    return Object.assign(super.extendTaskContext(context), { everyRow })
  }

  override onCollectStart(file: RunnerTestFile): void {
    super.onCollectStart(file)
    // The files of a process come one after the other.
    if (onMissing !== undefined) missingRequirements.unsubscribe(onMissing)
    onMissing = (message) => {
      const missing = isOfLaterLevel(message as MissingRequirement)
        ? ofLaterLevel
        : (message as MissingRequirement)
      note(file, missing)
      const { tasks } = TestRunner.getCurrentSuite()
      const index = tasks.length
      // Once it is defined, and before it is reported.
      queueMicrotask(() => {
        const defined = tasks[index]
        const task = defined?.type === 'collector' ? defined.suite : defined
        if (task !== undefined) note(task, missing)
      })
    }
    missingRequirements.subscribe(onMissing)
    this.#listening.resolve()
  }
}

/** What takes long, and what the variable `FENCED_SKIP` leaves out, is for a later level. */
function isOfLaterLevel({ name }: MissingRequirement): boolean {
  const skipped = (process.env.FENCED_SKIP ?? '').split(',')
  return currentLevel === 'test' && (name === 'long' || skipped.includes(name))
}

/** The last test of rows that share something: it has to end what some of them began. */
const isTheirEnd = /of these rows (?:stops|is removed)$/

function whyLeftOut(file: string, name: string): MissingRequirement | undefined {
  if (isTheirEnd.test(name)) return undefined
  if (passedBefore.get(file)?.has(name.replaceAll(' > ', ' '))) return hasPassedBefore
  return isLeftOut(file, name, currentLevel) ? ofLaterLevel : undefined
}

function note({ meta }: RunnerTask, missing: MissingRequirement): void {
  meta.missing ??= []
  if (!meta.missing.some(({ name }) => name === missing.name)) meta.missing.push(missing)
}
