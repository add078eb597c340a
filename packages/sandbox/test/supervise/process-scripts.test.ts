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
  const runBlock = async (command: readonly string[], cwd: string, input = '0\n') => {
    const [program = '', ...words] = shell.split(' ')
    const args = [...words, '-c', controlledScript, 'fenced', 'no', 'no', 'block', ...command]
    // As in a container it leads a session.
    const child = spawn(program, args, {
      cwd,
      detached: true,
      env: { ...process.env, FENCED_RUN_ID: runId },
    })
    const exited = once(child, 'exit')
    const marks = Promise.all([child.stdout, child.stderr].map(upToMark))
    child.stdin.write(input)
    return { marks: await marks, exit: await exited }
  }

  it('gets words of several lines as they are', async () => {
    const words = ['-c', 'printf "[%s]" "$@"\n', 'name', 'one', '', '\n', ' two\n\n\\three  \n']
    const lines = words.map((word) => `${word.split('\n').length}\n${word}\n`).join('')
    const { marks } = await runBlock(['sh'], tmpdir(), `${words.length}\n${lines}`)
    expect(marks[0]).toBe(`[one][][\n][ two\n\n\\three  \n]\u001e${runId}00\u001e`)
  })

  it('ends when what reads from it has written all, and not when a background job ends', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fenced-scripts-'))
    const code =
      'sleep 60 & (echo begun; exec sleep 60) | cat > server.log & seq 1 5 > >(sleep 0.5; sort -r > sorted.txt)'
    const { exit } = await runBlock(['bash', '-c', code], directory)
    expect(exit).toEqual([0, null])
    expect(await readFile(join(directory, 'sorted.txt'), 'utf8')).toBe('5\n4\n3\n2\n1\n')
    await rm(directory, { recursive: true })
  })
})
