import { existsSync, globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { exportedNames, publicNames } from './exported-names.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const page = readFileSync(at('docs/architecture.md'), 'utf8')
const links = [...page.matchAll(/\[([^\]]+)\]\(\.\.\/([^)]+)\)/g)].map(([, name = '', path = '']) => ({
  name,
  path,
}))
const section = (title: string) => page.split(/^## /m).find((part) => part.startsWith(title)) ?? ''

describe('the page about the architecture', () => {
  it('names only files that are there, each by its own name', () => {
    expect(links.length).toBeGreaterThan(30)
    expect(links.filter(({ path }) => !existsSync(at(path)))).toEqual([])
    expect(links.filter(({ name, path }) => !path.endsWith(`/${name}.ts`))).toEqual([])
  })

  it('names every clock as the file does that it points to', () => {
    const rows = [...section('The clocks').matchAll(/^\| (`.*?) \|.*\(\.\.\/([^)]+)\) \|$/gm)]
    expect(rows.length).toBeGreaterThan(8)
    const unknown = rows.flatMap(([, names = '', path = '']) =>
      [...names.matchAll(/`(\w+)`/g)]
        .map(([, name = '']) => `${name} in ${path}`)
        .filter((entry) => !readFileSync(at(path), 'utf8').includes(entry.split(' ')[0] ?? '')),
    )
    expect(unknown).toEqual([])
  })

  it('names every package of the path in its floor plan', () => {
    const plan = section('The floor plan')
    const packages = links.flatMap(({ path }) => /^packages\/([^/]+)\//.exec(path)?.[1] ?? [])
    expect([...new Set(packages)].filter((name) => !plan.includes(name))).toEqual([])
  })
})

describe('packages', () => {
  it('have the contract suites for their own tests only', () => {
    const manifests = globSync('packages/*/package.json', { cwd: at('') })
    expect(manifests.length).toBeGreaterThan(10)
    const users = manifests.filter(
      (path) => '@fenced/contract' in (JSON.parse(readFileSync(at(path), 'utf8')).dependencies ?? {}),
    )
    expect(users).toEqual([])
  })

  it('look up a file beside a module in `embedded.ts` only, so that a bundle needs no file', () => {
    const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: at('') })
    const isCode = (file: string) => !/\.(?:test|fixture)\.ts$|\/src\/embedded\.ts$/.test(file)
    const lookUp = /^(?!\s*(?:\/\/|\/?\*)).*import\.meta\.(?:url|dirname|filename|resolve)/m
    expect(files.filter((file) => isCode(file) && lookUp.test(readFileSync(at(file), 'utf8')))).toEqual([])
  })

  it('load the zod that core has built in', () => {
    const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: at('') })
    const isCode = (file: string) =>
      !/\.(?:test|fixture)\.ts$|\/(?:zod-members|from-json-schema)\.ts$/.test(file)
    const loads = /^(?:import|export)\b(?! type\b)[^'"`;]*?from 'zod(?:\/|')/m
    expect(files.filter((file) => isCode(file) && loads.test(readFileSync(at(file), 'utf8')))).toEqual([])
  })

  it.each([
    ...['agents', 'ai-sdk', 'cli', 'contract', 'core', 'executor-jupyter', 'executor-kubernetes', 'markdown'],
    ...['python-env', 'sandbox', 'sandbox-docker', 'sandbox-local', 'terminal', 'web', 'web/page'],
  ])('import one way between their folders, types included: %s', (name) => {
    const folders = foldersOf(name)
    // In core, files directly in `src` and its folders import each other.
    if (name === 'core')
      for (const file of [...folders.keys()]) if (file.endsWith('.ts')) folders.delete(file)
    const isInCircle = (folder: string) =>
      [...(folders.get(folder) ?? [])].some((next) => next !== folder && reached(next, folders).has(folder))
    expect([...folders.keys()].filter(isInCircle)).toEqual([])
  })

  it('of agents import folders of the same or an earlier row only', () => {
    const order = [
      ['usage.ts', 'human-input', 'component'],
      ['message'],
      ['event.ts', 'autogen.ts'],
      ['ui'],
      ['running'],
      ['model'],
      ['tool', 'task', 'model-context', 'termination', 'testing'],
      ['agent', 'reply', 'code-executor-agent'],
      ['chat', 'conversable-agent', 'team'],
      ['configuration', 'index.ts'],
    ]
    const rowOf = (folder: string) => order.findIndex((row) => row.includes(folder))
    const folders = [...foldersOf('agents')]
    expect(folders.filter(([folder]) => rowOf(folder) === -1)).toEqual([])
    const upwards = folders.flatMap(([folder, imported]) =>
      [...imported].filter((next) => rowOf(next) > rowOf(folder)).map((next) => `${folder} imports ${next}`),
    )
    expect(upwards).toEqual([])
  })
})

/** How many names each package may export, over all its entry points. A limit falls with its package, and rises only with a reason. */
const mostExports: Readonly<Record<string, number>> = {
  agents: 117,
  'ai-sdk': 22,
  cli: 3,
  contract: 17,
  core: 185,
  errors: 17,
  'executor-docker': 6,
  'executor-jupyter': 16,
  'executor-kubernetes': 8,
  'executor-local': 5,
  host: 37,
  markdown: 12,
  opentelemetry: 5,
  'python-env': 16,
  sandbox: 58,
  'sandbox-docker': 25,
  'sandbox-local': 9,
  terminal: 7,
  web: 16,
}

describe('the walls between packages', () => {
  const folder = (name: string) => fileURLToPath(at(`packages/${name}`))

  it('have one internal door, in core, with a limited number of names', () => {
    const doors = globSync('packages/*/src/internal.ts', { cwd: at('') })
    expect(doors).toEqual(['packages/core/src/internal.ts'])
    expect(exportedNames(folder('core')).get('./internal')).toBeLessThanOrEqual(83)
  })

  it('let out no more names than each package may export', () => {
    const names = globSync('packages/*/package.json', { cwd: at('') }).map((path) => path.split('/')[1] ?? '')
    expect(names.toSorted()).toEqual(Object.keys(mostExports))
    const over = names.filter((name) => publicNames(folder(name)) > (mostExports[name] ?? 0))
    expect(over.map((name) => `${name}: ${publicNames(folder(name))}`)).toEqual([])
    const sum = Object.values(mostExports).reduce((total, most) => total + most, 0)
    expect(sum).toBeLessThanOrEqual(581)
  })

  it('keep helper functions that several packages share private, without state or packages above them', () => {
    const { private: isPrivate, dependencies } = JSON.parse(readFileSync(at('shared/package.json'), 'utf8'))
    expect(isPrivate).toBe(true)
    expect(Object.keys(dependencies)).toEqual(['@fenced/errors'])
    const users = globSync('packages/*/package.json', { cwd: at('') }).filter(
      (path) => '@fenced/shared' in (JSON.parse(readFileSync(at(path), 'utf8')).dependencies ?? {}),
    )
    expect(users).toEqual([])
  })

  it('put the errors package beside what a build takes from these functions', () => {
    const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: at('') })
    const users = files.filter(
      (path) =>
        !/\.(?:test|fixture)\.ts$/.test(path) &&
        readFileSync(at(path), 'utf8').includes("from '@fenced/shared'"),
    )
    const names = new Set(users.map((path) => path.split('/')[1] ?? ''))
    expect(names.size).toBeGreaterThan(5)
    const dependenciesOf = (name: string) =>
      JSON.parse(readFileSync(at(`packages/${name}/package.json`), 'utf8')).dependencies
    expect([...names].filter((name) => !('@fenced/errors' in dependenciesOf(name)))).toEqual([])
  })
})

describe('the text of a message', () => {
  /** Files that show a text, pass it on, or find out whether there is any. */
  const passOn = [
    ...['agent/registered-functions', 'chat/chat-queue', 'chat/first-message'],
    'code-executor-agent/run-given',
    ...['reply/check-termination-and-human-reply', 'team/conversable-participant', 'team/reply-to-team'],
  ]

  it('decides only where a model or a person wrote it', () => {
    const folders = '{agent,chat,code-executor-agent,reply,running,team,termination}'
    const files = globSync(`packages/agents/src/${folders}/*.ts`, { cwd: at('') })
    const readers = files.filter(
      (path) =>
        !/\.(?:test|fixture)\.ts$/.test(path) && /\btext(?:Of|In)\(/.test(readFileSync(at(path), 'utf8')),
    )
    expect(readers.toSorted()).toEqual(passOn.map((name) => `packages/agents/src/${name}.ts`))
  })

  it('is not searched for TERMINATE and code by its plain text', () => {
    const files = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'examples/**/*.ts'], {
      cwd: at(''),
      exclude: (path) => path.includes('node_modules'),
    })
    const search = /\b(?:endsWithTermination|extractCodeBlocks|blocksIn)\(\s*text(?:Of|In)\(/
    expect(files.length).toBeGreaterThan(500)
    expect(files.filter((path) => search.test(readFileSync(at(path), 'utf8')))).toEqual([])
  })
})

/** The folders in `src` of a package, each with the folders that it imports. A file directly in `src` counts as a folder. */
function foldersOf(name: string): Map<string, Set<string>> {
  const root = `packages/${name}/src/`
  const sources = globSync(`${root}**/*.{ts,tsx}`, { cwd: at('') })
  const folders = new Map<string, Set<string>>()
  for (const file of sources.filter((path) => !/\.(?:test|fixture)\.tsx?$/.test(path))) {
    const imports = readFileSync(at(file), 'utf8').matchAll(/^(?:import|export)\b[^'"`;]*?from '(\.[^']+)'/gm)
    const paths = [...imports].map(([, path = '']) => posix.join(posix.dirname(file), path))
    const found = paths.filter((path) => path.startsWith(root)).map((path) => folderIn(root, path))
    const folder = folderIn(root, file)
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...found]))
  }
  return folders
}

function folderIn(root: string, path: string): string {
  return path.slice(root.length).split('/')[0] ?? ''
}

function reached(
  folder: string,
  folders: ReadonlyMap<string, ReadonlySet<string>>,
  seen = new Set([folder]),
): ReadonlySet<string> {
  for (const next of folders.get(folder) ?? []) if (!seen.has(next)) reached(next, folders, seen.add(next))
  return seen
}
