// @module-tag all

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { controlledScript, openScript } from '../../src/supervise/process-scripts.ts'

/** The scripts end the processes of the machine that have it. */
const runId = randomBytes(4).toString('hex')

const program = ['sh', '-c', 'printf out; printf err >&2']

const runs = {
  controlled: (loses: string) => ({
    args: [controlledScript, 'fenced', 'no', loses, 'process', ...program],
    input: '0\n',
  }),
  open: (loses: string) => ({ args: [openScript, 'fenced', loses, ...program], input: '' }),
}

function start({ args, input }: { args: readonly string[]; input: string }) {
  const child = spawn('/bin/sh', ['-c', ...args], { env: { ...process.env, FENCED_RUN_ID: runId } })
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
    if (text.endsWith('\u001e') && text.includes(runId)) break
  }
  return text
}

describe.skipIf(process.platform !== 'linux').each(['controlled', 'open'] as const)(
  'the %s script',
  (kind) => {
    it('ends by itself where nothing is lost by that', async () => {
      const { exited, marks } = start(runs[kind]('no'))
      expect(await marks).toEqual([`out\u001e${runId}00\u001e`, `err\u001e${runId}00\u001e`])
      expect(await exited).toEqual([0, null])
    })

    it('waits for the end of its stdin where its end cuts off what nobody has read', async () => {
      const { child, exited, marks } = start(runs[kind]('yes'))
      expect(await marks).toEqual([`out\u001e${runId}00\u001e`, `err\u001e${runId}00\u001e`])
      expect(await Promise.race([exited, delay(300, 'waits')])).toBe('waits')
      child.stdin.end('what the program did not read\nand more')
      expect(await exited).toEqual([0, null])
    })
  },
)

const shells = ['/bin/sh', 'busybox sh'].filter((shell) => {
  const [program = '', ...words] = shell.split(' ')
  try {
    return execFileSync(program, [...words, '-c', 'echo yes'], { encoding: 'utf8' }) === 'yes\n'
  } catch {
    return false
  }
})

describe.runIf(process.platform === 'linux').each(shells)('a block in a sandbox with %s', (shell) => {
  const runBlock = async (code: string, cwd: string) => {
    const [program = '', ...words] = shell.split(' ')
    const args = [...words, '-c', controlledScript, 'fenced', 'no', 'no', 'block', 'bash', '-c', code]
    // As in a container it leads a session.
    const child = spawn(program, args, {
      cwd,
      detached: true,
      env: { ...process.env, FENCED_RUN_ID: runId },
    })
    const exited = once(child, 'exit')
    const marks = Promise.all([child.stdout, child.stderr].map(upToMark))
    child.stdin.write('0\n')
    return { marks: await marks, exit: await exited }
  }

  it('ends when what reads from it has written all, and not when a background job ends', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-scripts-'))
    const code =
      'sleep 60 & (echo begun; exec sleep 60) | cat > server.log & seq 1 5 > >(sleep 0.5; sort -r > sorted.txt)'
    const { exit } = await runBlock(code, directory)
    expect(exit).toEqual([0, null])
    expect(await readFile(join(directory, 'sorted.txt'), 'utf8')).toBe('5\n4\n3\n2\n1\n')
    await rm(directory, { recursive: true })
  })
})
