import type { CodeExecutor } from '@fenced/core'
import type { StopSignals } from './stop-signals.ts'
import type { Fact } from './terminal/facts.ts'

/** Where something happens. */
interface CommandContext {
  readonly executor: CodeExecutor
  /** About the executor, for a person. */
  readonly facts: readonly Fact[]
  readonly stop: StopSignals
}

/** What the demo does when its executor is ready. It shows what happens, and says whether that ended well. */
export type Command = (context: CommandContext) => Promise<boolean>
