// @module-tag all

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { CommandLineCodeExecutor, type CommandLineExecutorOptions } from '../../src/index.ts'
import { python } from '../python.ts'
import { restlessSandbox } from './restless-sandbox.ts'

const blocks = [
  { language: 'sh', code: 'echo here >> kept' },
  { language: 'python', code: 'print(open("kept").read().count("here"))' },
]

it.each<Omit<CommandLineExecutorOptions, 'sandbox'>>([{}, { warm: {} }, { warm: { preload: ['json'] } }])(
  'starts nothing in advance where a process cannot be let alone: %j',
  { skip: python.missing },
  async (options) => {
    const { sandbox, running } = restlessSandbox()
    const executor = new CommandLineCodeExecutor({ sandbox, ...options })
    onTestFinished(async () => {
      await executor.stop()
      await sandbox.stop()
    })
    const codes: string[] = []
    await executor.start({ onNotice: ({ code }) => codes.push(code) })
    for (const count of [1, 2]) {
      const result = await executor.execute(blocks)
      expect(result).toMatchObject({ status: 'ok', output: `${count}\n`, files: [{ path: 'kept' }] })
      await expect.poll(() => running.size).toBe(0)
    }
    expect(codes).toEqual(options.warm === undefined ? [] : ['not-warm'])
  },
)

it('a tool of the host is called all the same', { skip: python.missing }, async () => {
  const { sandbox, running } = restlessSandbox()
  const executor = new CommandLineCodeExecutor({ sandbox, warm: {} })
  onTestFinished(async () => {
    await executor.stop()
    await sandbox.stop()
  })
  const tools = { answer: () => 42 }
  const code = 'import tools\nprint(tools.answer())'
  const result = await executor.execute([{ language: 'python', code }], { tools })
  expect(result).toMatchObject({ status: 'ok', output: '42\n' })
  // The process that sent the last signal ends a moment later.
  await expect.poll(() => running.size).toBe(0)
})

it('such a sandbox does not keep Node going between blocks', async () => {
  const program = `
import { CommandLineCodeExecutor } from ${JSON.stringify(import.meta.resolve('../../src/index.ts'))}
import { restlessSandbox } from ${JSON.stringify(import.meta.resolve('./restless-sandbox.ts'))}
const { sandbox } = restlessSandbox()
const executor = new CommandLineCodeExecutor({ sandbox })
process.once('beforeExit', async () => {
  await executor.stop()
  await sandbox.stop()
  console.log('stopped')
})
const { output } = await executor.execute([{ language: 'sh', code: 'sleep 1; echo ran' }])
console.log(output.trim())
`
  const args = ['--conditions=@fenced/source', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  expect(await text(child.stdout)).toBe('ran\nstopped\n')
})
