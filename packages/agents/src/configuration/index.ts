// Agents, teams and their parts as data.

export { roundRobinGroupChatOptionsSchema } from '../team/round-robin-group-chat.ts'
export type { ComponentKind, NestedLoader } from './component-kind.ts'
export { registerComponent } from './component-registry.ts'
export type { ConfigurableClass } from './kind-of.ts'
export type { ComponentSources } from './load-component.ts'
export { type ComponentClass, type LoadComponentOptions, loadComponent } from './load-component.ts'
