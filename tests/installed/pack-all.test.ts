// @module-tag nightly

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { expect, inject, it } from 'vitest'
import { command } from './command.ts'
import { environment, needs } from './needs.ts'
import { Project } from './project.ts'
import { firstExample } from './readme.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)
const missing = [registry, ...needs('executor-local')].some((need) => need.missing)
const root = join(import.meta.dirname, '../..')

it.skipIf(missing)(
  'pack:all packs a package with those it needs, and the printed command installs only them',
  async () => {
    await using project = await Project.create()
    // A package that is not among the files must not come from the registry of this run.
    await project.write('.npmrc', '@fenced:registry=http://127.0.0.1:9/\nfetch-retries=0\n')
    const pack = ['npx', '--yes', 'pnpm', '--silent', 'pack:all', 'executor-local', project.path] as const
    const printed = await command(pack, { cwd: root })
    const [, files = ''] = /^npm install (.+)$/m.exec(printed) ?? []
    await project.install(files.split(' '))

    const installed = await readdir(join(project.path, 'node_modules/@fenced'))
    expect(installed.toSorted()).toEqual([
      ...['core', 'errors', 'executor-local', 'host', 'markdown', 'sandbox', 'sandbox-local'],
    ])
    const { program, output } = await firstExample('executor-local')
    await project.write('example.ts', program)
    expect(await project.run(process.execPath, ['example.ts'], environment)).toBe(output)

    const [, overrides = ''] = /^(overrides:\n(?: {2}.+\n)+)/m.exec(printed) ?? []
    const [, file = ''] = /^pnpm add (.+)$/m.exec(printed) ?? []
    await project.write('pnpm-workspace.yaml', overrides)
    await rm(join(project.path, 'node_modules'), { recursive: true })
    await rm(join(project.path, 'package-lock.json'), { force: true })
    await command(['npx', '--yes', 'pnpm', 'add', file], { cwd: project.path })
    expect(await project.run(process.execPath, ['example.ts'], environment)).toBe(output)
  },
)
