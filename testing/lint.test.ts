import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const plugins = readdirSync(join(import.meta.dirname, 'lint')).filter((name) => name.endsWith('.grit'))

/** Lines that each plugin reports, below lines that it accepts. */
const files: Record<string, { readonly accepted: readonly string[]; readonly reported: readonly string[] }> =
  {
    clock: {
      accepted: [
        `expect(new Date(0).toISOString()).toBe(text)`,
        `vi.useFakeTimers({ toFake: ['Date'], now: 0 })`,
      ],
      reported: [
        `expect(Date.now()).toBe(0)`,
        `expect(new Date().getTime()).toBe(0)`,
        `await executor.execute(blocks, { signal: AbortSignal.timeout(20) })`,
        `await expect.poll(() => lines).toEqual([])`,
        `await vi.waitFor(() => expect(lines).toEqual([]))`,
        `await vi.waitUntil(() => isReady)`,
        `vi.stubEnv('NO_COLOR', '1')`,
      ],
    },
    'early-return': {
      accepted: [
        `it('returns in a function', () => { list.map((value) => { if (value) return; use(value) }) })`,
        `it.skipIf(docker.missing)('is skipped by name', async () => { await run() })`,
        `beforeAll(async () => { if (docker.missing) return; await prepare() })`,
        `it('continues a loop', () => { for (const row of rows) { if (row.missing) continue; check(row) } })`,
      ],
      reported: [
        `it('returns', async () => { if (docker.missing) return; await run() })`,
        `test.each([1])('returns %i', async (number) => { if (number > 1) { return } await run() })`,
        `it('returns a value', () => { if (docker.missing) return undefined; check() })`,
        `it('returns from a block', () => { try { if (docker.missing) return; check() } finally { end() } })`,
        `it('returns from a loop', () => { for (const row of rows) { if (row.missing) return; check(row) } })`,
        `it('has options', { timeout: 5 }, async () => { if (docker.missing) return; await run() })`,
        `export const rows = [{ name: 'a row', async check(sandbox) { if (!sandbox.ports) return; await run() } }]`,
      ],
    },
    'race-with-settled': {
      accepted: [
        `await Promise.race([ended.then(() => 'ended'), settled()])`,
        `await Promise.race([ended.then(() => undefined), delay(200, 'lives')])`,
      ],
      reported: [
        `await Promise.race([ended.then(() => 'ended'), 'lives'])`,
        `await Promise.race([ended, other, undefined])`,
        `await Promise.race([Promise.resolve('lives'), ended])`,
      ],
    },
    'regexp-in-match': {
      accepted: [
        `expect(error).toMatchObject({ message: expect.stringMatching(/denied/) })`,
        `expect(error).toMatchObject({ message: text.replace(/a/, 'b') })`,
        `expect(error.message).toMatch(/denied/)`,
      ],
      reported: [
        `expect(error).toMatchObject({ code: 'DENIED', message: /denied/ })`,
        `await expect(run).rejects.toMatchObject({ data: { path: new RegExp(path) } })`,
        `expect(errors).toMatchObject({ messages: [/denied/] })`,
        `expect(error).toMatchObject<Shape>({ message: /denied/ })`,
        `expect(error).toMatchObject({ message: isShort ? 'denied' : /denied/ })`,
        `expect(error).toMatchObject({ message: /denied/ as never })`,
        `expect(error).toMatchObject({ message: (/denied/) })`,
        `expect(errors).toMatchObject([RegExp(path, 'i')])`,
      ],
    },
  }

test('each lint plugin reports what it forbids, and nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fenced-lint-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const paths = plugins.map((name) => join(import.meta.dirname, 'lint', name))
  const configuration = { plugins: paths, linter: { rules: { preset: 'none' } } }
  writeFileSync(join(directory, 'biome.json'), JSON.stringify(configuration))
  const expected = Object.entries(files).flatMap(([name, { accepted, reported }]) => {
    writeFileSync(join(directory, `${name}.ts`), [...accepted, ...reported].join('\n'))
    return reported.map((_, index) => `${name}.ts:${accepted.length + index + 1}`)
  })
  expect(reportedIn(directory)).toEqual(expected.sort())
})

/** File and line of each report of a plugin. */
function reportedIn(directory: string): string[] {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=none', '.'], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  const lines = [...`${stdout}${stderr}`.matchAll(/^\.?\/?(\S+\.ts:\d+):\d+ plugin /gm)]
  return lines.map(([, line = '']) => line).sort()
}
