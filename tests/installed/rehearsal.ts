import { existsSync } from 'node:fs'
import { appendFile, cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { command } from './command.ts'
import { packages } from './packages.ts'

const root = join(import.meta.dirname, '../..')

/** Author of commits and tags in the clone, on a machine without a configured author. */
const identity: NodeJS.ProcessEnv = {
  GIT_AUTHOR_NAME: 'Rehearsal',
  GIT_AUTHOR_EMAIL: 'rehearsal@localhost',
  GIT_COMMITTER_NAME: 'Rehearsal',
  GIT_COMMITTER_EMAIL: 'rehearsal@localhost',
}

/** Only a release workflow has an identity that provenance can name. */
const withoutProvenance: NodeJS.ProcessEnv = { pnpm_config_provenance: 'false' }

/**
 * A release in a separate clone, as `.github/workflows/release.yml` makes it: versions, changelogs, a build, and the
 * packages in a registry.
 */
export class Rehearsal implements AsyncDisposable {
  /** The clone, as the release leaves it. */
  readonly path: string

  /** @param path - the clone that {@link publish} has made. */
  constructor(path: string) {
    this.path = path
  }

  /** @param registry - the URL of an empty registry on this machine. */
  static async publish(registry: string): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(await mkdtemp(join(tmpdir(), 'fenced-rehearsal-')))
    await rehearsal.#copySources()
    await rehearsal.changeset('version')
    await rehearsal.git('add', '--all')
    await rehearsal.git('commit', '--quiet', '--message', 'Release')
    await rehearsal.#copyBuilds()
    // Of the scope only: pnpm itself comes from the usual registry.
    const address = registry.replace(/^http:/, '')
    await appendFile(
      join(rehearsal.path, '.npmrc'),
      `@fenced:registry=${registry}\n${address}:_authToken=loopback\n`,
    )
    await rehearsal.changeset('publish')
    return rehearsal
  }

  /** Runs changesets in the clone, and returns what it prints. */
  changeset(name: 'version' | 'publish'): Promise<string> {
    // `changeset publish` starts pnpm, which is not on the PATH where npx brings it.
    return this.#pnpm(['exec', 'sh', '-c', `cd "$0" && exec changeset ${name}`, this.path], {
      ...identity,
      ...withoutProvenance,
    })
  }

  /** Publishes one package as the settings of the workspace say, without the identity of a workflow. */
  publishPackage(name: string): Promise<string> {
    return this.#pnpm(['--dir', join(this.path, 'packages', name), 'publish', '--no-git-checks'])
  }

  git(...args: readonly string[]): Promise<string> {
    return command(['git', ...args], { cwd: this.path, env: { ...process.env, ...identity } })
  }

  async manifest(name: string): Promise<{ readonly version: string }> {
    return JSON.parse(await readFile(join(this.path, 'packages', name, 'package.json'), 'utf8'))
  }

  changelog(name: string): Promise<string> {
    return readFile(join(this.path, 'packages', name, 'CHANGELOG.md'), 'utf8')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true, force: true })
  }

  /** With what is not committed yet, so that a change can be tried before it is. */
  async #copySources(): Promise<void> {
    await command(['git', 'clone', '--quiet', root, this.path], { cwd: root })
    const list = [
      'git',
      'ls-files',
      '-z',
      '--cached',
      '--others',
      '--exclude-standard',
      '--deduplicate',
    ] as const
    const files = (await command(list, { cwd: root })).split('\0').filter((file) => file !== '')
    await this.git('rm', '-r', '--quiet', '.')
    for (const file of files.filter((file) => existsSync(join(root, file)))) {
      await cp(join(root, file), join(this.path, file), { verbatimSymlinks: true })
    }
    await this.git('add', '--all')
    await this.git('commit', '--quiet', '--allow-empty', '--message', 'What is released')
  }

  /** What turbo has built of these sources: of a manifest, only the version differs, and no build contains it. */
  async #copyBuilds(): Promise<void> {
    const build = ['exec', 'turbo', 'run', 'build', '--filter=./packages/*']
    await this.#pnpm(build)
    for (const name of packages) {
      const manifest = JSON.parse(await readFile(join(root, 'packages', name, 'package.json'), 'utf8'))
      for (const folder of manifest.files as string[]) {
        const path = join('packages', name, folder)
        await cp(join(root, path), join(this.path, path), { recursive: true })
      }
    }
  }

  #pnpm(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
    return command(['npx', '--yes', 'pnpm', ...args], { cwd: root, env: { ...process.env, ...env } })
  }
}
