import type { ComponentConfig, ToConfigOptions } from '@fenced/core'
import { toComponentConfig } from '@fenced/core/internal'
import { kindOf } from './kind-of.ts'

/** The config of a component that is made of nothing but its `options`. @throws FencedError `NOT_CONFIGURABLE`. */
export function configOfOptions(
  component: object,
  toConfigOptions: ToConfigOptions | undefined,
  options: object = (component as { readonly options?: object }).options ?? {},
): ComponentConfig {
  return toComponentConfig({ ...kindOf(component), options: { ...options } }, toConfigOptions)
}
