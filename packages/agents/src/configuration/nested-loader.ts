import type { CodeExecutor } from '@fenced/core'
import type { ExecutorRequest } from '@fenced/core/internal'
import type { LanguageModel } from 'ai'

/** Makes what is a component or a model among the options of another component. */
export interface NestedLoader {
  /** What a config describes. All else stays as it is: the overrides have put it there. */
  component(value: unknown): unknown
  /** The same for each of a list. */
  components(values: unknown): unknown
  /** What makes an executor, as options of agents have it. */
  executor(value: unknown): unknown
  /** A model, or each of a list of models. */
  model(value: unknown): unknown
}

/** Who has models and executors for what is loaded. */
export interface ComponentSources {
  /**
   * Gives a model by its id: the provider's name and its own, `openai.responses/gpt-5`. Needed where a config has a
   * model that was given as an object. Default: there are none.
   */
  readonly models?: ((id: string) => LanguageModel) | undefined
  /**
   * Makes the executors of agents, which then are yours to stop:
   * `({ name, options }) => stack.use(createExecutor(name, options))`. Default: every agent has its own, which its `stop`
   * ends.
   */
  readonly executors?: ((request: ExecutorRequest) => CodeExecutor) | undefined
}
