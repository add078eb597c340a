import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Where a module with an executor is. */
export type ModuleUrl = `file:${string}`

/** The module that `--executor` names by its path, such as `./mine.ts`; `undefined` for the name of an executor. */
export function moduleUrl(text: string): ModuleUrl | undefined {
  return /[/\\]|\.[cm]?[jt]s$/.test(text) ? (pathToFileURL(resolve(text)).href as ModuleUrl) : undefined
}

export function isModuleUrl(name: string): name is ModuleUrl {
  return name.startsWith('file:')
}
