import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/core/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type PackageManager, Project } from './project.ts'
import { packages } from './readme.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)
const root = join(import.meta.dirname, '../../packages')

interface Manifest {
  readonly exports: Readonly<Record<string, string | object>>
}

describe('what is published of a package', () => {
  it.each(packages)('%s has no way to the sources, and every door of the workspace', async (name) => {
    const answer = await fetch(`${inject('registry')}@fenced%2f${name}`)
    const { versions } = (await answer.json()) as { versions: Record<string, Manifest> }
    const [published] = Object.values(versions)
    const { exports } = JSON.parse(await readFile(join(root, name, 'package.json'), 'utf8')) as Manifest
    expect(Object.keys(published?.exports ?? {})).toEqual(Object.keys(exports))
    expect(JSON.stringify(published?.exports)).not.toMatch(/@fenced\/source|\/src\//)
  })
})

describe.skipIf(registry.missing).each<PackageManager>(['npm', 'pnpm'])('installed with %s', (manager) => {
  it('the doors of core open onto one program', async () => {
    await using project = await Project.create(manager)
    await project.install(['@fenced/core'])
    const program = `
      import { FencedError } from '@fenced/core'
      import { FileRefusedError } from '@fenced/core/driver'
      import { readComponentConfig } from '@fenced/core/internal'
      import '@fenced/core/testing'
      import { toolOutputs } from '@fenced/core/tool'
      console.log(typeof FileRefusedError, typeof toolOutputs)
      try { readComponentConfig(1) } catch (error) { console.log(error instanceof FencedError) }`
    expect(await project.run(process.execPath, ['--input-type=module', '--eval', program])).toBe(
      'function function\ntrue\n',
    )
  })

  it.each(['executor-local', 'executor-docker', 'executor-jupyter', 'python-env'])(
    '@fenced/%s alone is enough for an agent, and to take blocks out of an answer',
    async (name) => {
      await using project = await Project.create(manager)
      await project.install([`@fenced/${name}`])
      const program = `
        import { codeExecutionTool, extractCodeBlocks, FencedError } from '@fenced/${name}'
        console.log(typeof codeExecutionTool, extractCodeBlocks('~~~sh\\nls\\n~~~').length, typeof FencedError)`
      expect(await project.run(process.execPath, ['--input-type=module', '--eval', program])).toBe(
        'function 1 function\n',
      )
    },
  )

  describe.each([
    { package: '@fenced/python-env', export: 'DockerPythonEnvironment', peers: ['@fenced/executor-docker'] },
    { package: '@fenced/executor-jupyter', export: 'DockerJupyterServer', peers: [] },
  ])('$package', ({ package: name, export: exported, peers }) => {
    const program = `console.log(typeof (await import('${name}/docker')).${exported})`
    let project: Project

    beforeAll(async () => {
      project = await Project.create(manager)
      await project.install([name])
    })

    afterAll(() => project?.[Symbol.asyncDispose]())

    it('does not bring what speaks to an engine, and its door for that names what is missing', async () => {
      await project.run(process.execPath, ['--eval', `import '${name}'`])
      const opened = project.run(process.execPath, ['--eval', program])
      await expect(opened).rejects.toThrow(/Cannot find package '@fenced\/(docker-engine|executor-docker)'/)
    })

    it('has a door that opens beside its peers', async () => {
      await project.install(['@fenced/docker-engine', ...peers])
      expect(await project.run(process.execPath, ['--eval', program])).toBe('function\n')
    })
  })
})
