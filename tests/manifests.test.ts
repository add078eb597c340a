import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

type Exports = Readonly<Record<string, string | { readonly default: string }>>

interface Manifest {
  readonly exports: Exports
  readonly publishConfig: { readonly exports: Exports }
}

const packages = join(import.meta.dirname, '../packages')

it.each(readdirSync(packages))(
  '%s publishes every door that the workspace has, without its sources',
  (name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8')) as Manifest
    const built = Object.entries(manifest.exports).map(([door, target]) => [
      door,
      typeof target === 'string' ? target : target.default,
    ])
    expect(manifest.publishConfig.exports).toEqual(Object.fromEntries(built))
  },
)
