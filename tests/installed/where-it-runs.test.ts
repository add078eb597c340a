import { mkdir, mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { requirement, rowTags } from '@fenced/testing'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { bubblewrap, docker, image, jupyter, python } from './needs.ts'
import { Project } from './project.ts'
import { nodes, yarn } from './tools.ts'
import { places } from './where-it-runs.ts'
import type { Place } from './where-place.ts'
import { record } from './where-ran.ts'

const registry = requirement('registry', inject('registryProblem') || undefined)

/** Places with the same packages share a project. */
const projects = new Map<string, Promise<Project>>()

afterAll(async () => {
  for (const project of projects.values()) await (await project)[Symbol.asyncDispose]()
})

const tested = places.filter(({ notRun }) => notRun === undefined)

const rows = rowTags({
  nightly: [
    { except: ['Node 22.18', 'Worker thread', 'Cluster', 'node:test', 'Without HOME'] },
    'in TypeScript',
  ],
})

describe.skipIf(registry.missing || python.missing)('blocks run', rows, () => {
  it.each(tested.filter(({ needs }) => needs === undefined))('in the place $name', runIn)

  for (const [name, { missing }] of Object.entries({ bubblewrap, docker, jupyter })) {
    it.skipIf(missing).each(tested.filter(({ needs }) => needs === name))('in the place $name', runIn)
  }
})

async function runIn(place: Place): Promise<void> {
  const project = await projectOf(place)
  await using empty = await mkdtempDisposable(join(tmpdir(), 'fenced-empty-'))
  const env = { ...environment(project), EMPTY: empty.path }
  const shell = (line: string) => project.run('sh', ['-c', line], env)
  let output = ''
  for (const line of place.commands) output = await shell(line)
  expect(output).toMatch(place.prints)
  await record(place, () => shell(place.version ?? 'node --version'))
}

function projectOf(place: Place): Promise<Project> {
  const key = JSON.stringify([place.manager, place.packages, place.files])
  const project = projects.get(key) ?? newProject(place)
  projects.set(key, project)
  return project
}

async function newProject({ manager = 'npm', packages = [], files }: Place): Promise<Project> {
  const project = await Project.create(manager)
  await project.install(['@fenced/executor-local', ...packages])
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(project.path, dirname(name)), { recursive: true })
    await project.write(name, content)
  }
  return project
}

function environment({ path }: Project): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: [join(path, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    OLDEST_NODE: nodes['22.18'],
    NEWEST_NODE: nodes[26],
    YARN: yarn,
    IMAGE: image,
    JUPYTER: process.env.FENCED_TEST_JUPYTER,
  }
}
