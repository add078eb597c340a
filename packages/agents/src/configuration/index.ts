// Agents, teams and their parts as data.

export { type LoadComponentOptions, loadComponent, registerComponent } from './load-component.ts'
