import { relative } from 'node:path'
import {
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  type TestContext,
  TestRunner,
} from 'vitest'
import { everyRow } from './every-row.ts'
import { currentLevel, isLeftOut, ofLaterLevel, tagsByPath } from './levels.ts'
import { passed } from './passed.ts'
import { usePreparations } from './preparations.ts'
import { type MissingRequirement, missingRequirements } from './requirement.ts'
import { isTheirEnd, RowTagger, type RowTags } from './row-tags.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What was missing when it was decided whether this task is skipped; of a file, all that its tests asked for. */
    missing?: MissingRequirement[]
  }
}

const passedBefore = new Map(Object.entries(passed.tests).map(([file, names]) => [file, new Set(names)]))

const hasPassedBefore = { name: 'passed-before', problem: 'they passed in the run before this one' }

let onMissing: ((message: unknown) => void) | undefined

/** Waits for what a file needs, leaves out what passed before or has the tag of a later level, and notes at each test, for the list at the end, which missing requirement was asked for right before it was defined. Gives tests `everyRow`. */
export default class RequirementRunner extends TestRunner {
  #listening = Promise.withResolvers<void>()
  readonly #rowTagger = new RowTagger()

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
    const path = relative(process.cwd(), task.file.filepath)
    const ofRows = this.#rowTagger.tagsOf(task.fullTestName, rowTagsOf(task))
    Object.assign(task, { tags: [...new Set([...(task.tags ?? []), ...tagsByPath(path), ...ofRows])] })
    const cause = whyLeftOut(path, task)
    if (cause !== undefined) {
      Object.assign(task, { mode: 'skip' })
      note(task, cause)
    }
    return Object.assign(super.extendTaskContext(context), { everyRow })
  }

  onCollected(): void {
    this.#rowTagger.end()
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

/** What the variable `FENCED_SKIP` leaves out is for a later level. */
function isOfLaterLevel({ name }: MissingRequirement): boolean {
  const skipped = (process.env.FENCED_SKIP ?? '').split(',')
  return currentLevel === 'test' && skipped.includes(name)
}

function whyLeftOut(
  file: string,
  { fullTestName, tags = [] }: RunnerTestCase,
): MissingRequirement | undefined {
  const hasPassed = passedBefore.get(file)?.has(fullTestName.replaceAll(' > ', ' '))
  if (hasPassed && !isTheirEnd.test(fullTestName)) return hasPassedBefore
  return isLeftOut(tags, currentLevel) ? ofLaterLevel : undefined
}

/** The row tags of a test and of the suites around it. */
function rowTagsOf(task: RunnerTask): readonly RowTags[] {
  const given = new Set<RowTags>()
  for (let at: RunnerTask | undefined = task; at !== undefined; at = at.suite)
    if (at.meta.rowTags !== undefined) given.add(at.meta.rowTags)
  return [...given]
}

/** Changes no object that tasks share: a suite has the `meta` of its options, and a test the values of its suite's. */
function note(task: RunnerTask, missing: MissingRequirement): void {
  const known = task.meta.missing ?? []
  if (!known.some(({ name }) => name === missing.name))
    task.meta = { ...task.meta, missing: [...known, missing] }
}
