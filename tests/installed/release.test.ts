import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requirement } from '@fenced/testing'
import { describe, expect, inject, it } from 'vitest'
import { packages } from './packages.ts'
import { Project } from './project.ts'
import { firstExample } from './readme.ts'
import { Rehearsal } from './rehearsal.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)
const rehearsal = new Rehearsal(inject('rehearsal'))

const root = join(import.meta.dirname, '../../packages')

interface Published {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly repository: { readonly url: string; readonly directory: string }
}

describe('a rehearsed release', () => {
  it.each(packages)('publishes %s in the version of its changelog', async (name) => {
    const { version } = await publishedManifest(name)
    const before = JSON.parse(await readFile(join(root, name, 'package.json'), 'utf8')).version
    expect(version).toBe(before === '0.0.0' ? '0.1.0' : (await rehearsal.manifest(name)).version)
    const changelog = await rehearsal.changelog(name)
    expect(changelog).toMatch(new RegExp(`^# @fenced/${name}\n\n## ${version}\n\n### .+\n\n- .{20}`))
    const [, newest = ''] = changelog.split(/^## /m)
    expect(newest.split('\n').length).toBeLessThanOrEqual(40)
  })

  it.each(packages)(
    'lets %s depend on versions that a registry knows, of Fenced on its own',
    async (name) => {
      const { version, dependencies = {}, peerDependencies = {} } = await publishedManifest(name)
      for (const [dependency, range] of Object.entries({ ...dependencies, ...peerDependencies })) {
        expect(range, dependency).toMatch(/^[\^~]?\d/)
        if (dependency.startsWith('@fenced/')) expect(range, dependency).toBe(version)
      }
    },
  )

  it.each(packages)('names where %s comes from, as provenance needs it', async (name) => {
    expect((await publishedManifest(name)).repository).toEqual({
      type: 'git',
      url: 'git+https://github.com/fenced/fenced.git',
      directory: `packages/${name}`,
    })
  })

  it('publishes nothing without provenance', async () => {
    await expect(rehearsal.publishPackage('core')).rejects.toThrow(/PROVENANCE|ID_TOKEN/)
  })

  it('publishes nothing twice', { tags: 'nightly' }, async () => {
    expect(await rehearsal.changeset('publish')).toContain('No unpublished projects to publish')
  })

  it('is followed by one in which all have the same version, and nothing becomes 1.0.0 by itself', {
    tags: 'nightly',
  }, async () => {
    const before = await rehearsal.manifest('sandbox-docker')
    const changeset = "---\n'@fenced/sandbox-docker': minor\n'@fenced/core': patch\n---\n\nSomething new.\n"
    await writeFile(join(rehearsal.path, '.changeset/next.md'), changeset)
    try {
      await rehearsal.changeset('version')
      const manifests = await Promise.all(packages.map((name) => rehearsal.manifest(name)))
      const [next, ...others] = new Set(manifests.map(({ version }) => version))
      expect(others).toEqual([])
      expect(next).toMatch(/^0\./)
      expect(next).not.toBe(before.version)
    } finally {
      await rehearsal.git('checkout', '--quiet', '.changeset', 'packages')
    }
  })

  it.skipIf(registry.missing)('can be installed and run', { tags: 'nightly' }, async () => {
    await using project = await Project.create('npm')
    const { packages, program, output } = await firstExample('executor-local')
    await project.install(packages)
    await project.write('example.ts', program)
    expect(await project.run(process.execPath, ['example.ts'])).toBe(output)
  })
})

async function publishedManifest(name: string): Promise<Published> {
  const answer = await fetch(`${inject('registry')}@fenced%2f${name}`)
  const document = (await answer.json()) as {
    'dist-tags': { latest: string }
    versions: Record<string, Published>
  }
  const latest = document.versions[document['dist-tags'].latest]
  if (latest === undefined) throw new Error(`${name} has no latest version.`)
  return latest
}
