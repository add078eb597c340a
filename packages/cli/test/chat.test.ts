// @module-tag all

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processesLeft, temporaryEntries, uniqueSeconds } from '@fenced/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { anywhere, FencedCommand, fenced } from './command.ts'
import { type ModelServer, modelServer } from './model-server.ts'

const temporary = await mkdtemp(join(tmpdir(), 'fenced-chat-'))
afterAll(() => rm(temporary, { recursive: true, force: true }))

const program = '```sh\necho $((6 * 7))\n```'
const chatWith = ({ baseUrl }: ModelServer) => ['chat', '--model', 'm', '--base-url', baseUrl]
const unattended = (server: ModelServer, ...args: string[]) => [
  ...chatWith(server),
  '--yes',
  'What is it?',
  ...args,
]

describe('fenced chat without a terminal', () => {
  it('gives the task to the model, runs its program, and returns the output to the model', async () => {
    await using server = await modelServer({ answers: [program, 'It is 42.\n\nTERMINATE'], key: 'right' })
    const args = unattended(server, ...anywhere, '--api-key-env', 'TEST_KEY')
    const { code, stdout } = await fenced(args, { env: { TEST_KEY: 'right' } })
    expect(stdout).toContain(`  model   m at ${server.baseUrl}\n  code    runs on this machine, not isolated`)
    expect(stdout).toContain('All programs run without a question')
    expect(stdout).toContain('> 42\n')
    expect(code).toBe(0)
    const [system, task, , result] = server.asked[1]?.messages ?? []
    expect(system?.content).toContain('TERMINATE')
    expect(task).toEqual({ role: 'user', content: 'What is it?' })
    expect(result?.content).toBe('exitcode: 0 (execution succeeded)\nCode output: \n42\n')
  })

  it('ends with 1 if the last program failed', async () => {
    await using server = await modelServer({ answers: ['```sh\nexit 3\n```', 'I give up.\n\nTERMINATE'] })
    const { code, stdout } = await fenced(unattended(server, ...anywhere))
    expect(stdout).toContain('= error, exit code 3')
    expect(code).toBe(1)
  })

  it.each([
    [['--pictures'], 1],
    [[], 0],
  ])('with %j, the model is shown %i pictures', async (options, pictures) => {
    const file = join(temporary, 'plots.mjs')
    const driver = new URL('../../core/src/driver.ts', import.meta.url)
    await writeFile(
      file,
      `import { defineExecutor } from '${driver}'
const run = async (_, io) => (io.result({ 'image/png': 'iVBORw0KGgo=' }), { exitCode: 0 })
export default defineExecutor({ name: 'plots', languages: ['sh'], driver: () => ({ run }) })
`,
    )
    await using server = await modelServer({ answers: [program, 'I see.\n\nTERMINATE'] })
    const { code, stderr } = await fenced(unattended(server, '--executor', file, ...options))
    expect([code, stderr]).toEqual([0, ''])
    const shown = JSON.stringify(server.asked[1]?.messages).match(/data:image\/png;base64,iVBORw0KGgo=/g)
    expect(shown ?? []).toHaveLength(pictures)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops the program and leaves nothing: exit code %i', async (signal, exitCode) => {
    const seconds = uniqueSeconds()
    const TMPDIR = await mkdtemp(join(temporary, 'own-'))
    await using server = await modelServer({ answers: [`\`\`\`sh\necho begun; sleep ${seconds}\n\`\`\``] })
    const command = new FencedCommand(unattended(server, ...anywhere), { env: { TMPDIR } })
    await command.printed('> begun')
    command.child.kill(signal)
    const { code, stdout } = await command.ended
    expect(stdout).toContain('- Cancelled: the program was stopped')
    expect(code).toBe(exitCode)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    expect(temporaryEntries(TMPDIR)).toEqual([])
  })

  it('ends when its reader leaves', async () => {
    const answers = ['```sh\nwhile :; do echo more; sleep 0.05; done\n```']
    await using server = await modelServer({ answers })
    const command = new FencedCommand(unattended(server, ...anywhere))
    await command.printed('> more')
    command.child.stdout.destroy()
    expect(await command.ended).toMatchObject({ code: 141, stderr: '' })
  })

  it('says why no model answered, without the key', async () => {
    await using server = await modelServer({ answers: [program], key: 'right' })
    const args = unattended(server, ...anywhere, '--api-key-env', 'TEST_KEY')
    const { code, stderr } = await fenced(args, { env: { TEST_KEY: 'wrong-key-of-mine' } })
    expect(stderr).toMatch(/HTTP 401: .*API key.*\(MODEL_FAILED\)\n$/s)
    expect(stderr).not.toContain('wrong-key-of-mine')
    expect(code).toBe(2)
  })

  it.each<[string, string[], string]>([
    ['a model', ['--yes', 'Add.'], '--model'],
    ['a task', ['--model', 'm', '--yes'], 'task'],
    ['a person or --yes', ['--model', 'm', 'Add.'], '--yes'],
    ['an address', ['--model', 'm', '--base-url', 'here', '--yes', 'Add.'], '--base-url'],
  ])('needs %s', async (_, args, named) => {
    const { code, stdout, stderr } = await fenced(['chat', ...anywhere, ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(named)
  })

  it.each(['chat', 'web'])('%s without a key for the model of OpenAI says so at once', async (command) => {
    const task =
      command === 'chat' ? ['--yes', 'Add.'] : ['--port', '0', '--directory', join(temporary, 'web')]
    const args = [command, ...anywhere, '--model', 'gpt-5', ...task]
    const { code, stdout, stderr } = await fenced(args, { env: { OPENAI_API_KEY: '' } })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('OPENAI_API_KEY')
  })

  it('names the packages to install where agents are missing', async () => {
    const hook = `import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => next(name.replace('@fenced/agents', '@fenced/not-installed'), context) })`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hook)}`
    const { code, stderr } = await fenced(['chat', '--model', 'm', '--yes', 'Add.'], {
      env: { NODE_OPTIONS },
    })
    expect(stderr).toBe(
      'fenced: A chat needs more packages: npm install @fenced/agents @fenced/terminal ai @ai-sdk/openai-compatible\n',
    )
    expect(code).toBe(2)
  })
})
