import { type ComponentConfig, isComponentConfig, pathInside } from './component-config.ts'

/** The paths of all that a config, and the configs in it, have left out: what has to be given when it is loaded. */
export function omittedOptions(config: ComponentConfig): string[] {
  return omittedBelow(config, '')
}

function omittedBelow(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isComponent = isComponentConfig(value)
  const own = isComponent ? (value.omitted ?? []).map((name) => pathInside(path, name)) : []
  const fields = Object.entries(isComponent ? value.config : value)
  return [...own, ...fields.flatMap(([name, field]) => omittedBelow(field, pathInside(path, name)))]
}
