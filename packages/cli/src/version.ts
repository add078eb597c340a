import { readFileSync } from 'node:fs'

/** Of this package. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
