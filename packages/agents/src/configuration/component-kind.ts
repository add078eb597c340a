import type { ComponentVersions } from '@fenced/core/driver'

/** A kind of component that can be loaded. */
export interface ComponentKind extends ComponentVersions {
  /**
   * Makes one of its options, in the version of today. They come from outside and are not checked. `load` makes what is
   * a component or a model among them.
   */
  readonly create: (options: Readonly<Record<string, unknown>>, load: NestedLoader) => unknown
}

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
