import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { onSocket, pong } from '../engine/server.fixture.ts'

const folder = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, { readonly imports: readonly { readonly path: string }[] }>>
}

let built: string

beforeAll(async () => {
  // Below the package: what it imports is found from there.
  built = await mkdtemp(join(folder, 'node_modules/.built-'))
  const tsup = join(createRequire(import.meta.url).resolve('tsup'), '../cli-default.js')
  await run(process.execPath, [tsup, '--out-dir', built, '--metafile'], { cwd: folder })
})

afterAll(() => rm(built, { recursive: true, force: true }))

it('has dockerode and docker-modem in it, and nothing else of npm', async () => {
  const { inputs } = await metafile()
  const packages = Object.keys(inputs).flatMap((path) => /.*node_modules\/([^/]+)\//.exec(path)?.[1] ?? [])
  expect([...new Set(packages)].sort()).toEqual(['docker-modem', 'dockerode'])
})

it('imports modules of Node and what its manifest names', async () => {
  const { outputs } = await metafile()
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const named = Object.keys(manifest.dependencies)
  const others = imported.filter(
    (path) =>
      !path.startsWith('node:') && !named.some((name) => path === name || path.startsWith(`${name}/`)),
  )
  expect(imported).toContain('node:https')
  expect(others).toEqual([])
})

it('has their licenses beside it', async () => {
  const licenses = await readFile(join(built, 'licenses.txt'), 'utf8')
  expect(licenses).toMatch(/^docker-modem \d[\s\S]+Apache License[\s\S]+^dockerode \d[\s\S]+Apache License/m)
})

it('speaks to an engine', async () => {
  const address = await onSocket((request, response) => {
    if (request.url === '/_ping') pong(request, response)
    else response.end(JSON.stringify({ Id: 'sha256:0', Config: {}, Architecture: 'amd64', Os: 'linux' }))
  })
  const program = `
    import { Engine } from ${JSON.stringify(join(built, 'index.js'))}
    const engine = await Engine.connect(${JSON.stringify(address)})
    console.log(await engine.hasImage('any', { signal: new AbortController().signal }))
    engine.close()`
  const options = ['--conditions=@fenced/source', '--input-type=module', '--eval', program]
  const { stdout } = await run(process.execPath, options, { cwd: folder })
  expect(stdout).toBe('true\n')
})

async function metafile(): Promise<Metafile> {
  return JSON.parse(await readFile(join(built, 'metafile-esm.json'), 'utf8'))
}
