import { FencedError } from '@fenced/core'
import { builtInComponents } from './built-in-components.ts'
import type { ComponentKind } from './component-kind.ts'

/** Shared by every installed copy of this package: a component may be registered with one copy and loaded with another. */
const key = Symbol.for('fenced.components')
const shared = globalThis as { [key]?: Map<string, ComponentKind> }

function registered(): Map<string, ComponentKind> {
  shared[key] ??= new Map()
  return shared[key]
}

/**
 * Lets `loadComponent` make a kind of component of yours: an agent, a model context, a termination condition, a team.
 * Its `toConfig` gives a config with this provider. The last one who takes a name has it; ours cannot be taken.
 *
 * @throws FencedError `INVALID_OPTIONS` for a name of ours.
 */
export function registerComponent(provider: string, kind: ComponentKind): void {
  if (builtInComponents.has(provider)) {
    const message = `"${provider}" is a component of @fenced/agents. Register yours under another name.`
    throw new FencedError({ code: 'INVALID_OPTIONS', message })
  }
  registered().set(provider, kind)
}

/** @throws FencedError `UNKNOWN_COMPONENT`. */
export function componentKind(provider: string): ComponentKind {
  const kind = builtInComponents.get(provider) ?? registered().get(provider)
  if (kind !== undefined) return kind
  const known = [...builtInComponents.keys(), ...registered().keys()].sort().join(', ')
  throw new FencedError({
    code: 'UNKNOWN_COMPONENT',
    message: `No component is called "${provider}". There are ${known}. One of another package is known once that package has called registerComponent; executors are loaded with loadExecutor of @fenced/core.`,
  })
}
