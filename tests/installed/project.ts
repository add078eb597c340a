import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { command } from './command.ts'

export type PackageManager = 'npm' | 'pnpm'

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
    return project
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(join(this.path, name), content)
  }

  /** Installs as a user does: pnpm fails if a package has an install script that is not allowed. */
  async install(packages: readonly string[]): Promise<void> {
    const argv =
      this.#manager === 'npm'
        ? (['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'] as const)
        : ([
            'npx',
            '--yes',
            'pnpm',
            'add',
            '--prefer-offline',
            `--config.cache-dir=${inject('cache')}`,
          ] as const)
    await command([...argv, ...packages], { cwd: this.path })
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
