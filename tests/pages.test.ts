// @module-tag all

import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { extractCodeBlocks } from '@fenced/core'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bubblewrap, docker, environment, image, jupyter, python } from './installed/needs.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '..')

interface Program {
  readonly page: string
  readonly line: number
  readonly code: string
  /** What the page says that it prints; undefined for a part of a program. */
  readonly shown: string | undefined
}

const pages = ['docs/*.md', 'packages/*/skills/*/SKILL.md']
const programs: readonly Program[] = globSync(pages, { cwd: root }).flatMap((file) => {
  const blocks = extractCodeBlocks(readFileSync(join(root, file), 'utf8'))
  const page = basename(file.replace(/(\/SKILL)?\.md$/, ''))
  return blocks.flatMap(({ language, code, line = 0 }, index) => {
    const next = blocks[index + 1]
    const shown = next?.language === 'text' ? next.code : undefined
    return language === 'typescript' ? [{ page, line, code, shown }] : []
  })
})

/** Files that programs import. */
const neighbors = join(root, 'packages/host/test/example')

/** Lists and tables, and a guide whose program runs in Next.js (`tests/installed`). Those of Kubernetes run in its package. */
const withoutProgram = [
  'alternatives',
  'architecture',
  'dependencies',
  'differences',
  'messages',
  'next',
  'performance',
  'production',
  'style',
  'threat-model',
]

/** What parts of programs leave out. */
const leftOut = `
import type { CodeBlock, CodeExecutor } from '@fenced/core'
import type { LanguageModel } from 'ai'
declare global {
  const blocks: CodeBlock[]
  const executor: CodeExecutor
  const key: string
  const model: LanguageModel
}`

/** Here, so that programs find what they import. */
await mkdir(join(import.meta.dirname, 'dist'), { recursive: true })
const directory = await mkdtemp(join(import.meta.dirname, 'dist/pages-'))
// As `npm init -y` writes it.
await writeFile(join(directory, 'package.json'), '{ "type": "commonjs" }')
afterAll(() => rm(directory, { recursive: true }))
// A server answers with the page where it was built.
beforeAll(() => execute(process.execPath, [join(root, 'packages/web/scripts/build-page.ts')]))

const rows = rowTags({
  nightly: [
    '> from-',
    '> fenced-python-env',
    '> fenced-web',
    '> environments',
    '> approvers',
    '> streaming',
    '> chat-ui',
    '> deploying',
    '> testing',
    '> network',
    '> host-tools',
    '> sandboxes',
    '> observing',
    '> tracing',
    '> web-page',
    '> models',
    '> ledger',
    '> mcp',
    '> where-it-runs',
    '> configurations',
    '> ports',
    'in a kernel what stands below them > approval',
  ],
})

describe('the programs of the pages', () => {
  it('compile, also where they are parts of one', async () => {
    // One that imports a file beside it is compiled where that file is.
    for (const program of programs.filter(({ code }) => !code.includes("from './"))) await write(program)
    await writeFile(join(directory, 'left-out.mts'), leftOut)
    const settings = { extends: join(root, 'tsconfig.base.json'), include: ['*.mts'] }
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings))
    const compiler = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await execute(compiler, ['--project', directory]).catch((error) => error)
    expect(stdout).toBe('')
  })

  it('are in every guide, with what they print', () => {
    const names = globSync('docs/*.md', { cwd: root }).map((file) => basename(file, '.md'))
    const shown = new Set(programs.filter(({ shown }) => shown !== undefined).map(({ page }) => page))
    expect(names.filter((name) => !shown.has(name)).toSorted()).toEqual(withoutProgram)
  })

  describe.each([
    {
      name: 'on this machine',
      need: python,
      imports: /^(?!.*executor-(docker|jupyter|kubernetes)|.*env\/docker|.*isolation: 'bubblewrap')/s,
    },
    {
      name: 'in bubblewrap',
      need: bubblewrap,
      imports: /^(?!.*executor-(docker|jupyter|kubernetes)|.*env\/docker)(?=.*isolation: 'bubblewrap')/s,
    },
    { name: 'in a container', need: docker, imports: /executor-docker|env\/docker/ },
    { name: 'in a kernel', need: jupyter, imports: /executor-jupyter/ },
  ])('print $name what stands below them', rows, ({ need, imports }) => {
    const shown = programs.filter(({ code, shown }) => shown !== undefined && imports.test(code))
    it.skipIf(need.missing).each([...Map.groupBy(shown, ({ page }) => page)])('%s', async (_, examples) => {
      expect(await outputs(examples)).toEqual(examples.map(({ shown }) => shown))
    })
  })
})

/** What each program prints, one after the other in one process. */
async function outputs(examples: readonly Program[]): Promise<string[]> {
  const files = await Promise.all(examples.map(write))
  const run = `for (const file of process.argv.slice(1)) { await import(file); process.stdout.write('\\0') }`
  const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', run, ...files]
  const { stdout } = await execute(process.execPath, args, { cwd: directory, env: environment })
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((text) => text.replace(/\n$/, ''))
}

async function write({ page, line, code }: Program): Promise<string> {
  const file = join(directory, `${page}-${line}.mts`)
  // The image that the test engines have.
  const here = code.replaceAll('python:3-slim', image).replaceAll(" from './", ` from '${neighbors}/`)
  await writeFile(file, `${here}\nexport {}\n`)
  return file
}
