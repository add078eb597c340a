import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { command } from './command.ts'
import { bun } from './runtimes.ts'
import { yarn } from './tools.ts'

export type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'yarn-pnp' | 'bun'

/** Commands of a package manager that use no cache of an earlier run, whose packages had the same versions. */
const add: Readonly<Record<PackageManager, () => readonly [string, ...string[]]>> = {
  npm: () => ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'],
  // As a user types it: pnpm fails if a package has an install script that is not allowed.
  pnpm: () => ['npx', '--yes', 'pnpm', 'add', '--prefer-offline', `--config.cache-dir=${inject('cache')}`],
  yarn: () => [process.execPath, yarn, 'add'],
  'yarn-pnp': () => [process.execPath, yarn, 'add'],
  bun: () => [...bun, 'add', '--cache-dir', join(inject('cache'), 'bun')],
}

/** The global folder has metadata by host, without the port: an earlier registry of this machine would answer. */
const yarnSettings = (linker: string) => `
nodeLinker: ${linker}
npmRegistryServer: '${inject('usualRegistry')}'
npmScopes:
  fenced:
    npmRegistryServer: '${inject('registry')}'
unsafeHttpWhitelist: ['127.0.0.1', '${new URL(inject('usualRegistry')).hostname}']
cacheFolder: '${join(inject('cache'), 'yarn')}'
globalFolder: '${join(inject('cache'), 'yarn-global')}'
enableGlobalCache: false
enableImmutableInstalls: false
enableTelemetry: false
`

/** An empty directory, with a package manager that gets our packages from the registry of this run. */
export class Project implements AsyncDisposable {
  readonly path: string
  readonly #manager: PackageManager

  private constructor(path: string, manager: PackageManager) {
    this.path = path
    this.#manager = manager
  }

  static async create(manager: PackageManager = 'npm'): Promise<Project> {
    const project = new Project(await mkdtemp(join(tmpdir(), 'fenced-installed-')), manager)
    await project.write('package.json', '{ "private": true, "type": "module" }\n')
    await project.write('.npmrc', `@fenced:registry=${inject('registry')}\n`)
    if (manager.startsWith('yarn')) {
      await project.write('.yarnrc.yml', yarnSettings(manager === 'yarn' ? 'node-modules' : 'pnp'))
      await project.write('yarn.lock', '')
    }
    return project
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(join(this.path, name), content)
  }

  async install(packages: readonly string[]): Promise<void> {
    await command([...add[this.#manager](), ...packages], { cwd: this.path })
  }

  /** What a file or a program of the project prints. */
  run(node: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
    // Without what vitest sets for its own workers.
    const { NODE_OPTIONS: _, NODE_ENV: __, VITEST: ___, ...inherited } = env
    return command([node, ...args], { cwd: this.path, env: inherited })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }
}
