import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const packages = join(import.meta.dirname, '../..')
const belowCore: ReadonlySet<string> = new Set(['errors', 'markdown'])

describe('the version of Node', () => {
  it.each(['20.20.2', '22.17.1'])('%s is refused, with what is needed instead', async (version) => {
    await expect(importOn(version)).rejects.toThrow(
      `Error: Fenced needs Node 22.18 or newer; this is Node ${version}, at `,
    )
  })

  it('that is too old is an error with a code', async () => {
    const program = [
      `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`,
      `const error = await import('@fenced/core/node-version').catch((error) => error)`,
      `console.log(error.code, error.data.node)`,
    ]
    expect(await run(program)).toBe('NODE_TOO_OLD 20.20.2\n')
  })

  it.each(['22.18.0', '23.0.0', '24.1.0', '100.0.0'])('%s will do', async (version) => {
    expect(await importOn(version)).toBe('imported\n')
  })

  it('is not asked for where there is no process, as in a browser, and the text of a page is shown there', async () => {
    const program = [
      'globalThis.process = undefined',
      `await import('@fenced/core/node-version')`,
      `const { visible } = await import('@fenced/errors/text')`,
      `console.log(visible('a\\u200Bb'))`,
    ]
    expect(await run(program)).toBe('a[U+200B]b\n')
  })

  it('is what each package asks for, and what each module that it exports asks about first', async () => {
    for (const name of await readdir(packages)) {
      const { engines } = JSON.parse(await readFile(join(packages, name, 'package.json'), 'utf8'))
      expect({ name, engines }).toEqual({ name, engines: { node: '>=22.18' } })
      const { default: build } = await import(join(packages, name, 'tsup.config.ts'))
      const checked = `import '@fenced/${belowCore.has(name) ? 'errors' : 'core'}/node-version'\n`
      expect({ name, ...builtWith(build.esbuildPlugins) }).toEqual({
        name,
        entry: `${checked}entry()`,
        shared: 'shared()',
      })
    }
  })
})

/** What the plugins of a build make of a module that is exported, and of a part that only such modules load. */
function builtWith(plugins: readonly Plugin[]) {
  const outputs = { 'dist/index.js': { entryPoint: 'src/index.ts' }, 'dist/chunk-A.js': {} }
  const files = ['entry()', 'shared()'].map((text, index) => ({
    path: `/package/${Object.keys(outputs)[index]}`,
    contents: Buffer.from(text),
  }))
  const end = (ended: (result: object) => void) => ended({ outputFiles: files, metafile: { outputs } })
  const plugin = plugins.find(({ name }) => name === 'checking-node')
  plugin?.setup({ initialOptions: {}, onEnd: end })
  const [entry, shared] = files.map(({ contents }) => contents.toString())
  return { entry, shared }
}

interface Plugin {
  readonly name: string
  readonly setup: (build: object) => void
}

it('what is published has every door that the sources have', async () => {
  for (const name of await readdir(packages)) {
    const { exports, publishConfig } = JSON.parse(
      await readFile(join(packages, name, 'package.json'), 'utf8'),
    )
    expect({ name, doors: Object.keys(publishConfig.exports) }).toEqual({ name, doors: Object.keys(exports) })
  }
})

function importOn(version: string): Promise<string> {
  return run([
    `Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
    `await import('@fenced/core/node-version')`,
    `console.log('imported')`,
  ])
}

async function run(program: readonly string[]): Promise<string> {
  const options = ['--conditions=@fenced/source', '--input-type=module', '--eval', program.join('\n')]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd: import.meta.dirname })
  return stdout
}
