import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { toComponentConfig } from '@fenced/core/internal'

/** A kind of component that can be loaded. */
export interface ComponentKind {
  /**
   * Makes one of its options. They come from outside and are not checked. `load` makes what is
   * a component or a model among them.
   */
  readonly create: (options: Readonly<Record<string, unknown>>, load: NestedLoader) => unknown
}

/** Makes what is a component or a model among the options of another component. */
export interface NestedLoader {
  /** Creates a component from a config. Other values are returned unchanged: overrides put them there. */
  component(value: unknown): unknown
  /** The same for each of a list. */
  components(values: unknown): unknown
  /** What makes an executor, as options of agents have it. */
  executor(value: unknown): unknown
  /** A model, or each of a list of models. */
  model(value: unknown): unknown
}

/** What a class says about the configs of its objects. */
export interface ConfigurableClass {
  /** The name that it is registered under. */
  readonly provider: string
}

/**
 * The name that a component's class is registered under. A subclass without a name of its class would be loaded as its parent.
 *
 * @throws FencedError `NOT_CONFIGURABLE`.
 */
export function providerOf(component: object): string {
  const kind = component.constructor as { readonly name: string } & Partial<ConfigurableClass>
  const { provider } = Object.hasOwn(kind, 'provider') ? kind : {}
  if (provider !== undefined) return provider
  throw new FencedError({
    code: 'NOT_CONFIGURABLE',
    message: `${kind.name} does not say under which name it is loaded. Give the class a \`static readonly provider = '${kind.name}'\`, and register that with registerComponent('${kind.name}', …); or leave it out of the config with \`omit\`.`,
    data: { component: kind.name },
  })
}

/** The config of a component that is made of nothing but its `options`. @throws FencedError `NOT_CONFIGURABLE`. */
export function configOfOptions(
  component: object,
  toConfigOptions: ToConfigOptions | undefined,
  options: object = (component as { readonly options?: object }).options ?? {},
): ComponentConfig {
  return toComponentConfig({ provider: providerOf(component), options: { ...options } }, toConfigOptions)
}
