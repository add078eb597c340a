import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

type Exports = Readonly<Record<string, string | { readonly default: string }>>

interface Manifest {
  readonly exports: Exports
  readonly files: readonly string[]
  readonly publishConfig: { readonly exports: Exports }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const packages = join(import.meta.dirname, '../packages')

it('each package publishes every door that the workspace has, without its sources', ({ everyRow }) =>
  everyRow(readdirSync(packages), (name) => {
    const manifest = manifestOf(name)
    const built = Object.entries(manifest.exports).map(([door, target]) => [
      door,
      typeof target === 'string' ? target : target.default,
    ])
    expect(manifest.publishConfig.exports).toEqual(Object.fromEntries(built))
  }))

it('each package depends on the others in exactly its own version', ({ everyRow }) =>
  everyRow(readdirSync(packages), (name) => {
    const { dependencies, peerDependencies } = manifestOf(name)
    const ranges = Object.entries({ ...dependencies, ...peerDependencies })
    const others = ranges.filter(([other, range]) => other.startsWith('@fenced/') && range !== 'workspace:*')
    expect(others).toEqual([])
  }))

it('each skill is published, under its own name', ({ everyRow }) =>
  everyRow(globSync('*/skills/*/SKILL.md', { cwd: packages }), (file) => {
    const [name = '', , skill] = file.split('/')
    const { files } = manifestOf(name)
    expect(files).toContain('skills')
    expect(skill).toBe(`fenced-${name}`)
    const [, heading = '', description = ''] =
      /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(readFileSync(join(packages, file), 'utf8')) ?? []
    expect(heading).toBe(skill)
    // The limits of https://agentskills.io/specification.
    expect(description.length).toBeGreaterThan(0)
    expect(description.length).toBeLessThanOrEqual(1024)
  }))

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
}
