import type { CodeExecutor } from '@fenced/core'
import type { LanguageModel } from 'ai'
import type { ApprovalChoice } from '../approval/approval-choice.ts'
import type { StartScript } from '../script/scripted-model.ts'
import type { StopSignals } from '../stop-signals.ts'
import type { Fact } from '../terminal/facts.ts'

/** What agents work with. */
export interface ScenarioParts {
  readonly task: string
  readonly model: LanguageModel
  /** Whether the model takes pictures, and is shown what programs plot. */
  readonly pictures: boolean
  readonly executor: CodeExecutor
  /** Who decides whether code is run. */
  readonly approval: ApprovalChoice
  readonly stop: StopSignals
}

/** A way in which agents do a task. */
export interface Scenario {
  /** What the scripted model says. */
  readonly startScript: StartScript
  /** The task that goes with it. */
  readonly readTask: () => Promise<string>
  /** What somebody who is asked can type. */
  readonly rules: readonly Fact[]
  /** Shows what happens, and says whether it ended well. */
  readonly run: (parts: ScenarioParts) => Promise<boolean>
}
