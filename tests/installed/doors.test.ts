import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement, rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { packages } from './packages.ts'
import { type PackageManager, Project } from './project.ts'

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

  it('no file names a source map, which would be missing', async () => {
    const built = inject('rehearsal')
    const files = globSync('packages/*/dist/**/*.{js,d.ts,map}', { cwd: built })
    expect(files.length).toBeGreaterThan(packages.length)
    const texts = await Promise.all(files.map((file) => readFile(join(built, file), 'utf8')))
    expect(files.filter((_, index) => texts[index]?.includes('\n//# sourceMappingURL='))).toEqual([])
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
  })
})

interface Subject {
  readonly name: string
  /** Each manager for half of them: an install takes longer than what is asked of it, and which way it goes is the same for all. */
  readonly manager: PackageManager
  readonly door?: { readonly export: string; readonly peers: readonly string[] }
}

const subjects: readonly Subject[] = [
  { name: '@fenced/executor-local', manager: 'npm' },
  { name: '@fenced/executor-docker', manager: 'pnpm' },
  { name: '@fenced/executor-kubernetes', manager: 'npm' },
  {
    name: '@fenced/python-env',
    manager: 'npm',
    door: { export: 'DockerPythonEnvironment', peers: ['@fenced/executor-docker'] },
  },
  {
    name: '@fenced/executor-jupyter',
    manager: 'pnpm',
    door: { export: 'DockerJupyterServer', peers: [] },
  },
]

const rows = rowTags({
  nightly: ['executor-local', 'executor-docker', 'executor-kubernetes', 'executor-jupyter'],
})

describe.skipIf(registry.missing)('installed', () => {
  describe.concurrent('@fenced/core', () => {
    it.each<PackageManager>(['npm', 'pnpm'])(
      'with %s: its doors open onto one program',

      async (manager) => {
        await using project = await Project.create(manager)
        await project.install(['@fenced/core'])
        const program = `
        import { FencedError, visible } from '@fenced/core'
        import { FileRefusedError } from '@fenced/core/driver'
        import { readComponentConfig } from '@fenced/core/internal'
        import { toolOutputs } from '@fenced/core/tool'
        console.log(typeof FileRefusedError, typeof visible, typeof toolOutputs)
        try { readComponentConfig(1) } catch (error) { console.log(error instanceof FencedError) }`
        expect(await project.run(process.execPath, ['--input-type=module', '--eval', program])).toBe(
          'function function function\ntrue\n',
        )
      },
    )
  })

  describe.concurrent.each(subjects)('$name with $manager', rows, ({ name, manager, door }) => {
    let project: Project

    beforeAll(async () => {
      project = await Project.create(manager)
      await project.install([name])
    })

    afterAll(() => project?.[Symbol.asyncDispose]())

    it('alone is enough for an agent, and to take blocks out of an answer', {
      concurrent: false,
    }, async () => {
      const program = `
        import { codeExecutionTool, extractCodeBlocks, FencedError } from '${name}'
        console.log(typeof codeExecutionTool, extractCodeBlocks('~~~sh\\nls\\n~~~').length, typeof FencedError)`
      expect(await project.run(process.execPath, ['--input-type=module', '--eval', program])).toBe(
        'function 1 function\n',
      )
    })

    if (door === undefined) return
    const program = `console.log(typeof (await import('${name}/docker')).${door.export})`

    it('does not bring what speaks to an engine, and its door for that names what is missing', {
      concurrent: false,
    }, async () => {
      await project.run(process.execPath, ['--eval', `import '${name}'`])
      const opened = project.run(process.execPath, ['--eval', program])
      await expect(opened).rejects.toThrow(/Cannot find package '@fenced\/(sandbox-docker|executor-docker)'/)
    })

    it('has a door that opens beside its peers', { concurrent: false }, async () => {
      await project.install(['@fenced/sandbox-docker', ...door.peers])
      expect(await project.run(process.execPath, ['--eval', program])).toBe('function\n')
    })
  })
})
