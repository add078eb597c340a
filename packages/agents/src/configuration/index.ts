// Agents, teams and their parts as data.

export { roundRobinGroupChatOptionsSchema } from '../team/round-robin-group-chat.ts'
export type { ComponentKind, ConfigurableClass, NestedLoader } from './component-kind.ts'
export {
  type ComponentClass,
  type ComponentSources,
  type LoadComponentOptions,
  loadComponent,
  registerComponent,
} from './load-component.ts'
