import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { command } from './command.ts'
import { startRegistry } from './registry.ts'
import { Rehearsal } from './rehearsal.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where our packages are published. */
    registry: string
    /** The clone that they were released from. */
    rehearsal: string
    /** A directory with two older and a newer Node, an older TypeScript and yarn, as npm packages. */
    tools: string
    /** Where pnpm keeps what it learns of a registry: one of the last run may have had the same port. */
    cache: string
    /** Why nothing could be published or installed, or an empty string. */
    registryProblem: string
    /** Why known vulnerabilities cannot be queried, or an empty string. */
    auditProblem: string
    /** The registry of everything that is not ours. */
    usualRegistry: string
  }
}

const root = join(import.meta.dirname, '../..')

/** Releases every package to a registry of this run. */
export default async function prepare(project: TestProject): Promise<() => Promise<void>> {
  const registry = await startRegistry()
  project.provide('registry', registry.url)
  const tools = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fenced/installed-tools')
  project.provide('tools', tools)
  const cache = await mkdtemp(join(tmpdir(), 'fenced-installed-cache-'))
  project.provide('cache', cache)
  const [problem, jupyter, rehearsal] = await Promise.all([
    problemOf(() => makeTools(tools)),
    process.env.FENCED_TEST_JUPYTER ?? makeJupyter(),
    Rehearsal.publish(registry.url),
  ])
  project.provide('rehearsal', rehearsal.path)
  project.provide('registryProblem', problem ?? '')
  project.provide('auditProblem', await auditProblem(tools))
  project.provide(
    'usualRegistry',
    (await command(['npm', 'config', 'get', 'registry'], { cwd: tools })).trim(),
  )
  process.env.FENCED_TEST_JUPYTER = jupyter
  return async () => {
    await registry[Symbol.asyncDispose]()
    await rehearsal[Symbol.asyncDispose]()
    await rm(cache, { recursive: true, force: true })
  }
}

/** Where it cannot be made, the example that needs it is skipped. */
async function makeJupyter(): Promise<string> {
  const script = join(root, 'packages/executor-jupyter/test/jupyter/make-python')
  return (await command(['bash', script], { cwd: root }).catch(() => '')).trim()
}

/** They are not in the workspace, which would take longer to install for everybody. */
async function makeTools(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'package.json'), '{ "private": true }\n')
  const node = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const packages = [
    `older-node@npm:${node}@20.20.2`,
    `oldest-node@npm:${node}@22.18.0`,
    `newest-node@npm:${node}@^26.0.0`,
    'typescript-6@npm:typescript@^6.0.0',
    '@yarnpkg/cli-dist@^4.0.0',
  ]
  await command(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], {
    cwd: directory,
  })
}

/** Not every registry has the service that `npm audit` asks. */
async function auditProblem(directory: string): Promise<string> {
  const answer = await command(['npm', 'audit', '--json'], { cwd: directory }).catch(String)
  return answer.includes('"auditReportVersion"')
    ? ''
    : `the registry answers no npm audit: ${/"message": "(.+)"/.exec(answer)?.[1] ?? answer.slice(0, 500)}`
}

async function problemOf(attempt: () => Promise<void>): Promise<string | undefined> {
  try {
    await attempt()
    return undefined
  } catch (error) {
    return `npm installs nothing: ${error instanceof Error ? error.message.slice(0, 2_000) : error}`
  }
}
