import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/core/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { everyOption } from '../options/every-option.ts'
import { Project } from './project.ts'
import { firstExample, packages } from './readme.ts'
import { type Resolution, settings, typesPackages } from './settings.ts'
import { compilers } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

describe.skipIf(registry.missing)('all packages, installed together', () => {
  const files = [...packages.map((name) => `${name}.ts`), 'packages.ts']
  let project: Project

  beforeAll(async () => {
    const examples = await Promise.all(packages.map(firstExample))
    project = await Project.create()
    await project.install([...new Set(examples.flatMap((example) => example.packages)), ...typesPackages])
    for (const [index, { program }] of examples.entries())
      await project.write(`${packages[index]}.ts`, program)
    const everyDoor = join(import.meta.dirname, '../options/packages.ts')
    await project.write('packages.ts', await readFile(everyDoor, 'utf8'))
  })

  afterAll(() => project?.[Symbol.asyncDispose]())

  it.each(
    Object.entries(compilers).flatMap(([version, compiler]) =>
      (['nodenext', 'bundler'] as const satisfies Resolution[]).map((resolution) => ({
        version,
        resolution,
        compiler,
      })),
    ),
  )('compile with TypeScript $version and $resolution', async ({ resolution, compiler }) => {
    await project.write('tsconfig.json', settings(resolution, files))
    await project.run(process.execPath, [compiler, '--project', 'tsconfig.json'])
  })

  it('show in an editor what every option means', () => {
    const options = everyOption(join(project.path, 'tsconfig.json'), join(project.path, 'packages.ts'))
    expect(options.length).toBeGreaterThan(250)
    const silent = options.filter(({ documentation }) => documentation === '')
    expect(silent.map(({ of, name }) => `${of}.${name}`)).toEqual([])
  })
})
