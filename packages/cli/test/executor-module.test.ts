// @module-tag all

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowTags } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { fenced } from './command.ts'

const cwd = await mkdtemp(join(tmpdir(), 'fenced-module-'))
afterAll(() => rm(cwd, { recursive: true, force: true }))

const local = new URL('../../executor-local/src/index.ts', import.meta.url)

/** Runs a program with the executor of a module. */
async function withModule(name: string, module: string, ...args: string[]) {
  const text = `import { LocalCommandLineCodeExecutor as Local } from '${local}'\n${module}\n`
  await writeFile(join(cwd, name), text)
  const input = '~~~sh\necho "ran in $(basename "$PWD")"\n~~~\n'
  return await fenced(['run', '-', '--executor', `./${name}`, '--work-dir', 'mine', ...args], { cwd, input })
}

const moduleRows = rowTags({ nightly: ['named-class', 'function'] })
const refusedRows = rowTags({ nightly: ['nothing.mjs', 'two.mjs', 'other.mjs', 'mistyped.mjs'] })

describe('--executor with a module', () => {
  it('runs code with the executor of docs/writing-an-executor.md', async () => {
    const example = new URL('../../host/test/example/node-executor.ts', import.meta.url).pathname
    const ended = await fenced(['run', '-', '--executor', example, '--work-dir', 'mine'], {
      cwd,
      input: "~~~js\nconsole.log('ran in', process.cwd())\n~~~\n",
    })
    expect(ended).toEqual({ code: 0, stdout: `ran in ${join(cwd, 'mine')}\n`, stderr: '' })
  })

  it.each([
    ['default-class.ts', 'export default class extends Local {}'],
    ['named-class.ts', 'export class Mine extends Local {}\nexport const settings = { a: 1 }'],
    ['function.mjs', 'export default (options) => new Local({ timeoutMs: 5_000, ...options })'],
  ])('runs code with what it exports: %s', moduleRows, async (name, module) => {
    expect(await withModule(name, module)).toEqual({ code: 0, stdout: 'ran in mine\n', stderr: '' })
  })

  it.each([
    ['nothing.mjs', 'export const a = 1', 'has no executor'],
    ['two.mjs', 'export class A extends Local {}\nexport class B extends Local {}', '(A, B)'],
    ['other.mjs', 'export default () => ({ run() {} })', '`execute`, `start` and `stop`'],
    ['broken.mjs', "export default () => { throw new Error('No key.') }", 'No key.'],
    ['mistyped.mjs', 'export default {', 'cannot be loaded'],
  ])('names what is wrong, with exit code 2: %s', refusedRows, async (name, module, problem) => {
    const { code, stdout, stderr } = await withModule(name, module)
    expect(stderr).toContain(`fenced: `)
    expect(stderr).toContain(join(cwd, name))
    expect(stderr).toContain(problem)
    expect([code, stdout]).toEqual([2, ''])
  })

  it.each([
    ['--image', 'x'],
    ['--isolation', 'bubblewrap'],
    ['--network', 'open'],
  ])('refuses %s, which a module does not get', async (option, value) => {
    const { code, stderr } = await withModule(
      'mine.ts',
      'export default class extends Local {}',
      option,
      value,
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${option} cannot be used`)])
  })

  it('refuses a word that is neither an executor nor a path', async () => {
    const { code, stderr } = await fenced(['run', '-', '--executor', 'podman'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('auto, local, docker, jupyter, kubernetes')])
  })
})
