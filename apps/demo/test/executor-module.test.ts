import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, demo, folder } from './demo.ts'

const local = new URL('../../../packages/executor-local/src/index.ts', import.meta.url)
const input = answer(['sh', 'echo "ran in $(basename "$PWD")"'])

/** Runs an answer with the executor of a module. */
async function withModule(name: string, program: string) {
  const text = `import { LocalCommandLineCodeExecutor as Local } from '${local}'\n${program}\n`
  await writeFile(join(folder, name), text)
  return await demo(['--answer', '-', '--executor', `./${name}`, '--work-dir', join(folder, 'mine')], {
    input,
  })
}

describe('--executor with a module', () => {
  it('runs code with the executor that the README shows', async () => {
    const example = new URL('../../../packages/host/test/example/node-executor.ts', import.meta.url)
    const { exitCode, stdout, stderr } = await demo(
      ['--answer', '-', '--executor', example.pathname, '--work-dir', join(folder, 'mine')],
      { input: answer(['js', "console.log('ran in', process.cwd())"]) },
    )
    expect(stderr).toBe('')
    expect(stdout).toContain(`> ran in ${join(folder, 'mine')}\n`)
    expect(exitCode).toBe(0)
  })

  it.each([
    ['default-class.ts', 'export default class extends Local {}'],
    ['named-class.ts', 'export class Mine extends Local {}\nexport const settings = { a: 1 }'],
    ['factory.mjs', 'export default async (options) => new Local({ timeoutMs: 5_000, ...options })'],
    ['instance.mjs', `export const mine = new Local({ workDir: '${join(folder, 'mine')}' })`],
  ])('runs code with what it exports: %s', async (name, program) => {
    const { exitCode, stdout, stderr } = await withModule(name, program)
    expect(stderr).toBe('')
    expect(stdout).toContain(`by the executor of ./${name}, on this machine, with a network, not isolated`)
    expect(stdout).toContain('> ran in mine\n')
    expect(exitCode).toBe(0)
  })

  it.each([
    ['nothing.mjs', 'export const a = 1', 'exports no executor: export one as the default'],
    [
      'two.mjs',
      'export const a = new Local()\nexport const b = new Local()',
      'several that could be meant \\(a, b\\)',
    ],
    [
      'other.mjs',
      'export default () => ({ run() {} })',
      'has no executor: what it returned has no `execute`',
    ],
    ['broken.mjs', "export default () => { throw new Error('No key.') }", 'cannot be made: No key\\.'],
    ['mistyped.mjs', 'export default {', 'cannot be loaded: '],
  ])('says in one line what is wrong, with exit code 2: %s', async (name, program, message) => {
    const { exitCode, stdout, stderr } = await withModule(name, program)
    expect(stderr).toMatch(new RegExp(`^demo: .*${name}.* ?${message}.*\\n$`))
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })
})
