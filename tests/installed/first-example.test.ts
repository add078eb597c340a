import { requirement } from '@fenced/core/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { environment, image, needs } from './needs.ts'
import { type PackageManager, Project } from './project.ts'
import { type FirstExample, firstExample, packages } from './readme.ts'
import { type Resolution, settings, typesPackages } from './settings.ts'
import { compilers, nodes } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

describe.skipIf(registry.missing).each(packages)('the first example of the README of %s', (name) => {
  describe.each<PackageManager>(['npm', 'pnpm'])('installed with %s', (manager) => {
    let project: Project
    let example: FirstExample

    beforeAll(async () => {
      example = await firstExample(name)
      project = await Project.create(manager)
      await project.install([...example.packages, ...typesPackages])
      await project.write('example.ts', example.program.replaceAll('python:3-slim', image))
    })

    afterAll(() => project?.[Symbol.asyncDispose]())

    it.each<Resolution>(['nodenext', 'bundler'])('compiles with %s', async (resolution) => {
      await project.write('tsconfig.json', settings(resolution, ['example.ts']))
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
