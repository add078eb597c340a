import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { demo, folder } from './demo.ts'
import { modelServer } from './model-server.ts'

const program = 'I ask the shell:\n\n```sh\necho $((6 * 7))\n```'

describe('--model', () => {
  it('gives a task to a real model, runs its code, and tells it what came out', async () => {
    await using server = await modelServer({ answers: [program, 'It is 42.\n\nTERMINATE'], key: 'right' })
    const options = ['--model', 'Test/org/name', '--base-url', server.baseUrl, '--task', 'What is 6 times 7?']
    const { exitCode, stdout } = await demo(options, { env: { TEST_API_KEY: 'right' } })
    expect(stdout).toContain(`model   org/name of test, at ${server.baseUrl}, with the key in TEST_API_KEY`)
    expect(stdout).not.toContain('scripted')
    expect(stdout).toContain('> 42\n')
    expect(exitCode).toBe(0)
    expect(server.asked.map(({ model }) => model)).toEqual(['org/name', 'org/name'])
    const [system, task, , result] = server.asked[1]?.messages ?? []
    expect(system?.content).toContain('TERMINATE')
    expect(task).toEqual({ role: 'user', content: 'What is 6 times 7?' })
    expect(result?.content).toBe('exitcode: 0 (execution succeeded)\nCode output: \n42\n')
  })

  it.each([
    ['shows one that takes pictures what its program plots', ['--pictures'], 1],
    ['shows no other one', [], 0],
  ])('%s', async (_, options, pictures) => {
    await writeFile(
      join(folder, 'plots.mjs'),
      `import { defineExecutor } from '${new URL('../../../packages/core/src/driver.ts', import.meta.url)}'
const run = async (_, io) => (io.result({ 'image/png': 'iVBORw0KGgo=' }), { exitCode: 0 })
const plots = defineExecutor({ name: 'plots', languages: ['sh'], driver: () => ({ run }) })
export default () => plots()
`,
    )
    await using server = await modelServer({ answers: [program, 'I see.\n\nTERMINATE'] })
    const { exitCode, stderr } = await demo([
      '--model',
      'my-server/m',
      '--base-url',
      server.baseUrl,
      '--executor',
      './plots.mjs',
      ...options,
    ])
    expect([exitCode, stderr]).toEqual([0, ''])
    const shown =
      JSON.stringify(server.asked[1]?.messages).match(/data:image\/png;base64,iVBORw0KGgo=/g) ?? []
    expect(shown).toHaveLength(pictures)
  })

  it('sends no key where there is none, and says so', async () => {
    await using server = await modelServer({ answers: ['Hello.\n\nTERMINATE'] })
    const { stdout } = await demo(['--model', 'my-server/m', '--base-url', server.baseUrl])
    expect(stdout).toContain('without a key (MY_SERVER_API_KEY is not set)')
    expect(server.asked[0]?.authorization).toBeUndefined()
  })

  it('that is refused for its key is said in words, without the key: exit code 1', async () => {
    await using server = await modelServer({ answers: [program], key: 'right' })
    const { exitCode, stderr } = await demo(['--model', 'test/m', '--base-url', server.baseUrl], {
      env: { TEST_API_KEY: 'wrong-key-of-mine' },
    })
    expect(stderr).toMatch(/^demo: No model answered\.\n {2}- m \(test\.chat\): HTTP 401: .*API key/)
    expect(stderr).not.toContain('wrong-key-of-mine')
    expect(exitCode).toBe(1)
  })

  it('whose server does not run is said in words: exit code 1', async () => {
    await using server = await modelServer({ answers: [] })
    await server[Symbol.asyncDispose]()
    const { exitCode, stderr } = await demo(['--model', 'test/m', '--base-url', server.baseUrl])
    expect(stderr).toMatch(/^demo: No model answered\.\n {2}- m .*Check that its server runs/)
    expect(exitCode).toBe(1)
  })

  it.each<[what: string, model: string, message: RegExp]>([
    [
      'an unknown provider',
      'acme/m',
      /acme is not known: give it with --base-url\. Known are openai, .*lmstudio/,
    ],
    ['a provider whose key is missing', 'openai/m', /openai needs a key: .* as OPENAI_API_KEY/],
  ])('of %s gives one clear line and exit code 2', async (_, model, message) => {
    const { exitCode, stdout, stderr } = await demo(['--model', model], { env: { OPENAI_API_KEY: '' } })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^demo: .*\n$/)
    expect(stdout).toBe('')
    expect(exitCode).toBe(2)
  })
})
