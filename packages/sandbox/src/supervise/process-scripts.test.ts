import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { controlledScript, openScript } from './process-scripts.ts'

const program = ['sh', '-c', 'printf out; printf err >&2']

const runs = {
  controlled: (loses: string) => ({
    args: [controlledScript, 'fenced', 'no', loses, 'process', ...program],
    input: '0\n',
  }),
  open: (loses: string) => ({ args: [openScript, 'fenced', loses, ...program], input: '' }),
}

function start({ args, input }: { args: readonly string[]; input: string }) {
  const child = spawn('/bin/sh', ['-c', ...args], { env: { ...process.env, FENCED_RUN_ID: 'ab12' } })
  const exited = once(child, 'exit')
  const marks = Promise.all([child.stdout, child.stderr].map(upToMark))
  child.stdin.write(input)
  return { child, exited, marks }
}

async function upToMark(stream: Readable): Promise<string> {
  let text = ''
  stream.setEncoding('utf8')
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk
    if (text.endsWith('\u001e') && text.includes('ab12')) break
  }
  return text
}

describe.skipIf(process.platform !== 'linux').each(['controlled', 'open'] as const)(
  'the %s script',
  (kind) => {
    it('ends by itself where nothing is lost by that', async () => {
      const { exited, marks } = start(runs[kind]('no'))
      expect(await marks).toEqual(['out\u001eab1200\u001e', 'err\u001eab1200\u001e'])
      expect(await exited).toEqual([0, null])
    })

    it('waits for the end of its stdin where its end cuts off what nobody has read', async () => {
      const { child, exited, marks } = start(runs[kind]('yes'))
      expect(await marks).toEqual(['out\u001eab1200\u001e', 'err\u001eab1200\u001e'])
      expect(await Promise.race([exited, delay(300, 'waits')])).toBe('waits')
      child.stdin.end('what the program did not read\nand more')
      expect(await exited).toEqual([0, null])
    })
  },
)
