// @module-tag nightly

import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { packages } from './packages.ts'
import { Project } from './project.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

/** What one package may cost. */
interface Budget {
  readonly megabytes: number
  readonly packages: number
  /** The processor time of its import, as a multiple of that of a Node that imports nothing. */
  readonly importRatio: number
}

/** A package in the lock file of npm. */
interface Locked {
  readonly hasInstallScript?: boolean
}

const budgets = await readBudgets(join(import.meta.dirname, '../../contributing/installed-size.md'))

describe.skipIf(registry.missing)(
  'a package costs no more than contributing/installed-size.md allows',
  () => {
    const projects = new Map<string, Promise<Project>>()

    /** One that has this package alone, for all tests that look at it. */
    function projectWith(name: string): Promise<Project> {
      const project = projects.get(name) ?? newProject(name)
      projects.set(name, project)
      return project
    }

    afterAll(async () => {
      for (const project of projects.values()) await (await project)[Symbol.asyncDispose]()
    })

    it.each(packages)('%s', async (name) => {
      const project = await projectWith(name)
      const measured = {
        megabytes: (await bytesOf(join(project.path, 'node_modules'))) / 1e6,
        packages: (await packagePaths(project)).length,
        importRatio: await importRatio(project, `@fenced/${name}`),
      }
      process.stdout.write(
        `| ${name} | ${measured.megabytes.toFixed(1)} | ${measured.packages} | ${measured.importRatio.toFixed(1)} |\n`,
      )
      const budget = budgets.get(name)
      expect(measured.megabytes, 'megabytes').toBeLessThanOrEqual(budget?.megabytes ?? 0)
      expect(measured.packages, 'packages').toBeLessThanOrEqual(budget?.packages ?? 0)
      expect(measured.importRatio, 'import').toBeLessThanOrEqual(budget?.importRatio ?? 0)
    })

    it.each(packages)('%s brings no install script and no native program', async (name) => {
      const project = await projectWith(name)
      expect(await packagePaths(project, ({ hasInstallScript }) => hasInstallScript === true)).toEqual([])
      const files = await readdir(join(project.path, 'node_modules'), { recursive: true })
      expect(files.filter((file) => file.endsWith('.node'))).toEqual([])
    })

    it('executor-local, host, sandbox and python-env bring nothing of containers, pages and models', async () => {
      for (const name of ['executor-local', 'host', 'sandbox', 'sandbox-local', 'python-env']) {
        const installed = await installedWith(await projectWith(name))
        expect(installed).toContain(`@fenced/${name}`)
        expect(
          installed.filter((other) =>
            /^(dockerode|docker-modem|react|react-dom|ai|@ai-sdk\/.*|ssh2)$/.test(other),
          ),
        ).toEqual([])
      }
    })

    it('core brings zod, and nothing else', async () => {
      const below = ['@fenced/errors', '@fenced/markdown']
      const installed = await installedWith(await projectWith('core'))
      expect(installed).toEqual(['@fenced/core', ...below, 'zod'])
      expect(await installedWith(await projectWith('markdown'))).toEqual(below)
    })
  },
)

async function newProject(name: string): Promise<Project> {
  const project = await Project.create('npm')
  await project.install([`@fenced/${name}`])
  return project
}

async function readBudgets(path: string): Promise<ReadonlyMap<string, Budget>> {
  const rows = (await readFile(path, 'utf8')).matchAll(
    /^\| `@fenced\/(.+?)` \| (.+?) \| (.+?) \| (.+?) \|$/gm,
  )
  return new Map(
    [...rows].map(([, name = '', ...numbers]) => {
      const [megabytes = 0, count = 0, importRatio = 0] = numbers.map(Number)
      return [name, { megabytes, packages: count, importRatio }]
    }),
  )
}

async function bytesOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The names of all packages of a project, those of one name counted once. */
async function installedWith(project: Project): Promise<string[]> {
  const paths = await packagePaths(project)
  return [...new Set(paths.map((path) => path.replace(/^.*node_modules\//, '')))].sort()
}

async function packagePaths(
  project: Project,
  isWanted: (entry: Locked) => boolean = () => true,
): Promise<string[]> {
  const lock = await readFile(join(project.path, 'node_modules/.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, Locked> }
  return Object.keys(packages).filter((path) => isWanted(packages[path] ?? {}))
}

/** The least of several each, by turns: only what else a machine does makes one of them more. */
async function importRatio(project: Project, name: string): Promise<number> {
  const bare: number[] = []
  const importing: number[] = []
  for (let round = 0; round < 7; round++) {
    bare.push(await processorTime(project, ''))
    importing.push(await processorTime(project, `import '${name}'`))
  }
  return Math.min(...importing) / Math.min(...bare)
}

/** Of a whole Node, in microseconds: on a busy machine, a clock would measure how long it waits. */
async function processorTime(project: Project, program: string): Promise<number> {
  const print = 'const { user, system } = process.cpuUsage(); console.log(user + system)'
  return Number(
    await project.run(process.execPath, ['--input-type=module', '--eval', `${program}\n${print}`]),
  )
}
