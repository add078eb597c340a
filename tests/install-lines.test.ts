import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractCodeBlocks } from '@fenced/core'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Pages that explain packages, but not a task. */
const reference = ['errors', 'index', 'troubleshooting', 'where-it-runs']

const guides = globSync('docs/*.md', { cwd: root })
  .filter((file) => !reference.some((name) => file === `docs/${name}.md`))
  .map((file) => ({ file, imported: imports(file), installed: installs(file) }))
  .filter(({ imported }) => imported.some(isOurs))

it('a guide installs the packages that its programs import', () => {
  expect(guides.length).toBeGreaterThan(20)
  const missing = guides.map(({ file, imported, installed }) => [
    file,
    imported.filter((name) => !installed.includes(name)),
  ])
  expect(missing.filter(([, names]) => names?.length !== 0)).toEqual([])
})

it('a guide installs no other Fenced package, except peers of these and the command that it runs', () => {
  const unneeded = guides.map(({ file, imported, installed }) => {
    const needed = [...imported, ...imported.filter(isOurs).flatMap(peers)]
    if (/^npx fenced /m.test(read(file))) needed.push('@fenced/cli')
    return [file, installed.filter((name) => isOurs(name) && !needed.includes(name))]
  })
  expect(unneeded.filter(([, names]) => names?.length !== 0)).toEqual([])
})

function isOurs(name: string): boolean {
  return name.startsWith('@fenced/')
}

/** The packages that a page's programs import, without Node's modules and files. `$lib` is one of SvelteKit. */
function imports(file: string): string[] {
  const programs = extractCodeBlocks(read(file)).filter(({ language }) =>
    /^(type|java)script$/.test(language),
  )
  const names = programs.flatMap(({ code }) =>
    [...code.matchAll(/^(?:.* from|import) '((?:@[^/']+\/)?[^/':.]+)/gm)].map(([, name = '']) => name),
  )
  return [...new Set(names)].filter((name) => name !== 'node' && name !== '$lib').toSorted()
}

function installs(file: string): string[] {
  const text = read(file).replaceAll(/ \\\n */g, ' ')
  const lines = [...text.matchAll(/^ *npm install (.+)$/gm)].map(([, names = '']) => names)
  return lines.flatMap((names) => names.split(' ')).map((name) => name.replace(/(.)@.*$/, '$1'))
}

function peers(name: string): string[] {
  const manifest = JSON.parse(read(`packages/${name.replace('@fenced/', '')}/package.json`))
  return Object.keys(manifest.peerDependencies ?? {})
}
