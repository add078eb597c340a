// @module-tag all

import { expect, it } from 'vitest'
import { FencedCommand } from './command.ts'

const module = new URL('../src/stop-signals.ts', import.meta.url).href

/** Work that does not end when it is asked to. */
const hanging = `
  import { untilStopped } from ${JSON.stringify(module)}
  setInterval(() => {}, 1_000)
  await untilStopped(async (signal) => {
    signal.addEventListener('abort', () => console.log('stopping'))
    console.log('ready')
    await new Promise(() => {})
  })
`

it('a second request to end stops a command at once, whatever it still waits for', async () => {
  const options = ['--conditions=@fenced/source', '--input-type=module', '-e', hanging]
  const command = new FencedCommand([], { program: [process.execPath, ...options] })
  await command.printed('ready')
  command.child.kill('SIGINT')
  await command.printed('stopping')
  const again = setInterval(() => command.child.kill('SIGINT'), 50)
  try {
    expect(await command.ended).toMatchObject({ code: 130, stdout: 'ready\nstopping\n' })
  } finally {
    clearInterval(again)
  }
})
