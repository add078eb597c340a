import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { environment, python } from './needs.ts'
import { Project } from './project.ts'
import { firstExample } from './readme.ts'
import { yarn } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

/** Both linkers download once; nothing of an earlier run, whose packages had the same versions, is used. */
const settings = (linker: string) => `
nodeLinker: ${linker}
npmRegistryServer: '${inject('usualRegistry')}'
npmScopes:
  fenced:
    npmRegistryServer: '${inject('registry')}'
unsafeHttpWhitelist: ['127.0.0.1', '${new URL(inject('usualRegistry')).hostname}']
cacheFolder: '${join(inject('cache'), 'yarn')}'
enableGlobalCache: false
enableImmutableInstalls: false
enableTelemetry: false
`

/** One whose programs are files of its package, and one with peers. */
const subjects = ['executor-local', 'ai-sdk']

describe.skipIf(registry.missing || python.missing)('with yarn', () => {
  it.each([
    { linker: 'pnp', what: "Plug'n'Play, where a package finds only what its manifest names" },
    { linker: 'node-modules', what: 'node_modules' },
  ])('first examples run with $what', async ({ linker }) => {
    await using project = await Project.create()
    const examples = await Promise.all(subjects.map(firstExample))
    await project.write('.yarnrc.yml', settings(linker))
    await project.write('yarn.lock', '')
    const packages = new Set(examples.flatMap((example) => example.packages))
    await project.run(process.execPath, [yarn, 'add', ...packages])
    for (const { program, output } of examples) {
      await project.write('example.ts', program)
      expect(await project.run(process.execPath, [yarn, 'node', 'example.ts'], environment)).toBe(output)
    }
  })
})
