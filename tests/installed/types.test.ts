// @module-tag nightly

import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, inject, it } from 'vitest'
import { command } from './command.ts'
import { packages } from './packages.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)
const directory = join(import.meta.dirname, '..')

describe.skipIf(registry.missing)('the types of a package', () => {
  it.each(packages)('%s are found by each compiler and bundler', async (name) => {
    const attw = ['npx', 'attw', '--pack', `../packages/${name}`, '--profile', 'esm-only'] as const
    await command(attw, { cwd: directory })
  })
})
