// @module-tag nightly

import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { Project } from './project.ts'
import { settings, typesPackages } from './settings.ts'
import { compilers } from './tools.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)
const examples = join(import.meta.dirname, '../../examples')

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
}

const contract = ['@fenced/contract', 'vitest']

describe.skipIf(registry.missing)('an example that somebody outside would write', () => {
  it.each([
    { name: 'sql-executor', test: 'sql-executor.test.ts', passes: /Tests +\d+ passed/ },
    // It needs sshd; without one every test is skipped.
    { name: 'ssh-backend', test: 'ssh-backend.test.ts', passes: /Tests +\d+ (passed|skipped)/ },
    { name: 'text-backend', test: 'sdk-backend.test.ts', passes: /Tests +\d+ passed/ },
    // It needs Linux, and root or user namespaces.
    { name: 'namespace-backend', test: 'namespace-backend.test.ts', passes: /Tests +\d+ (passed|skipped)/ },
  ])(
    '$name compiles and passes its contract with the packages of the registry',
    async ({ name, test, passes }) => {
      const { dependencies } = JSON.parse(
        await readFile(join(examples, name, 'package.json'), 'utf8'),
      ) as Manifest
      await using project = await Project.create()
      await project.install([...Object.keys(dependencies), ...typesPackages, ...contract])
      const source = join(examples, name)
      await cp(source, project.path, {
        recursive: true,
        filter: (path) => !/\/(node_modules|package\.json|tsconfig\.json|turbo\.json)$/.test(path),
      })
      await bringHelpers(project, test)
      await project.write('tsconfig.json', importingTypeScript(settings('nodenext', [test])))
      await project.run(process.execPath, [compilers[7] ?? '', '--project', 'tsconfig.json'])
      const vitest = ['node_modules/vitest/vitest.mjs', 'run', test]
      const output = await project.run(process.execPath, vitest, { ...process.env, NO_COLOR: '1' })
      expect(output).toMatch(passes)
    },
  )
})

/** The helpers of tests are not published: they are copied, and the test imports the copy. */
async function bringHelpers(project: Project, test: string): Promise<void> {
  await cp(join(examples, '../testing'), join(project.path, 'testing'), {
    recursive: true,
    filter: (path) => !path.endsWith('/node_modules'),
  })
  const text = await readFile(join(project.path, test), 'utf8')
  await project.write(test, text.replaceAll("'@fenced/testing'", "'./testing/index.ts'"))
}

/** Its files import each other as Node runs them. */
function importingTypeScript(text: string): string {
  const { compilerOptions, files } = JSON.parse(text)
  return JSON.stringify({ compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true }, files })
}
