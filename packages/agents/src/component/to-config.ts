import { type ComponentConfig, FencedError, type ToConfigOptions } from '@fenced/core'
import { toComponentConfig } from '@fenced/core/internal'

/** Describes the configs of a class's instances. */
export interface ConfigurableClass {
  /** Name under which the class is registered. */
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
    message: `${kind.name} does not declare the name under which it is loaded. Give the class a \`static readonly provider = '${kind.name}'\`, and register that with registerComponent('${kind.name}', …); or leave it out of the config with \`omit\`.`,
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

/** A class that is made of its options. None are needed if all are optional. */
export type ClassWithOptions<Options extends object, Instance> =
  Partial<Options> extends Options
    ? abstract new (
        options?: Options,
      ) => Instance
    : abstract new (
        options: Options,
      ) => Instance
