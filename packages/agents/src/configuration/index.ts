// Agents, teams and their parts as data.

export type { ComponentKind, ConfigurableClass, NestedLoader } from '../component/component-kind.ts'
export { roundRobinGroupChatOptionsSchema } from '../team/round-robin-group-chat.ts'
export {
  type ComponentClass,
  type ComponentSources,
  type LoadComponentOptions,
  loadComponent,
  registerComponent,
} from './load-component.ts'
