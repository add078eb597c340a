import { requirement, rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { environment, image, needs } from './needs.ts'
import { packages } from './packages.ts'
import { type PackageManager, Project } from './project.ts'
import { type FirstExample, firstExample } from './readme.ts'
import { settings, typesPackages } from './settings.ts'
import { compilers, nodes } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

/**
 * The managers by turns: `budgets.test.ts` installs each package with npm as well, and `doors.test.ts` two with both. Here
 * each package shows that it brings the types that it needs; `together.test.ts` has every compiler and resolution.
 */
const managers = ['pnpm', 'npm'] as const satisfies readonly PackageManager[]
const subjects = packages.map((name, index) => ({
  name,
  manager: managers[index % managers.length] ?? 'npm',
}))

const rows = rowTags({
  nightly: [
    'compiles',
    'runs on Node 22',
    'runs on Node 26',
    { except: ['agents', 'ai-sdk', 'cli', 'core', 'executor-local', 'web'].map((name) => `of ${name},`) },
  ],
})

describe.skipIf(registry.missing)('the first example of the README', () => {
  describe.concurrent.each(subjects)('of $name, installed with $manager', rows, ({ name, manager }) => {
    let project: Project
    let example: FirstExample

    beforeAll(async () => {
      example = await firstExample(name)
      project = await Project.create(manager)
      await project.install([...example.packages, ...typesPackages])
      await project.write('example.ts', example.program.replaceAll('python:3-slim', image))
    })

    afterAll(() => project?.[Symbol.asyncDispose]())

    it('compiles', async () => {
      await project.write('tsconfig.json', settings('nodenext', ['example.ts']))
      await project.run(process.execPath, [compilers[7] ?? '', '--project', 'tsconfig.json'])
    })

    it.skipIf(needs(name).some(({ missing }) => missing)).each(Object.entries(nodes))(
      'runs on Node %s',
      async (_, node) => {
        const output = await project.run(node, ['example.ts'], environment)
        expect(output.replaceAll(image, 'python:3-slim')).toBe(example.output)
      },
    )
  })
})
