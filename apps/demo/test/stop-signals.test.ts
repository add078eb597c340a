import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const module = new URL('../src/stop-signals.ts', import.meta.url).href

/** A run that does not end when it is asked to. */
const hanging = `
  import { listenForStop } from ${JSON.stringify(module)}
  setInterval(() => {}, 1_000)
  const { signal } = listenForStop(process.stdout)
  signal.addEventListener('abort', () => console.log('stopping'))
  console.log('ready')
`

it('a second request to end stops the demo at once, whatever it still waits for', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', hanging], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let text = ''
  let again: ReturnType<typeof setInterval> | undefined
  child.stdout.setEncoding('utf8').on('data', (piece) => {
    text += piece
    if (text === 'ready\n') child.kill('SIGINT')
    if (text.endsWith('stopping\n')) again ??= setInterval(() => child.kill('SIGINT'), 50)
  })
  expect(await ended).toEqual([130, null])
  clearInterval(again)
  expect(text).toBe('ready\nstopping\n')
})
