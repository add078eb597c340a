import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { askingExecutor, type CodeApprovalRequest, fileLedger, runApproved } from '@fenced/core'
import { afterEach, describe, expect, it } from 'vitest'
import { LocalCommandLineCodeExecutor } from '../src/index.ts'

const directories: string[] = []
const children: ChildProcessByStdio<Writable, Readable, null>[] = []

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const path of directories.splice(0)) await rm(path, { recursive: true, force: true })
})

/** A ledger beside a working directory. */
async function place() {
  const root = await mkdtemp(join(tmpdir(), 'fenced-approved-once-'))
  directories.push(root)
  const directory = join(root, 'work')
  await mkdir(directory)
  return {
    directory,
    ledgerPath: join(root, 'ledger'),
    ranCount: async () =>
      (await readFile(join(directory, 'ran.txt'), 'utf8').catch(() => '')).length / 'ran\n'.length,
  }
}

function start(name: string, ...args: readonly string[]) {
  const program = new URL(`programs/${name}.ts`, import.meta.url).pathname
  const child = spawn(process.execPath, ['--conditions=@fenced/source', program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
}

/** Kills a process at a point, and resolves with what it had asked before. */
async function killedAt(
  point: string,
  { ledgerPath, directory }: Awaited<ReturnType<typeof place>>,
  action: 'program' | 'call' = 'program',
) {
  const { child, lines } = start('approved-once', point, ledgerPath, directory, action)
  let request: CodeApprovalRequest | undefined
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new Error(`The process ended before it came to "${point}".`)
    const said = JSON.parse(value)
    request = said.request ?? request
    if (said.point === point) break
  }
  child.kill('SIGKILL')
  await once(child, 'exit')
  return request
}

describe('a process that is killed while a decision is made', { tags: 'all' }, () => {
  it.each<[point: string, state: string | undefined, ranCount: number, later: string]>([
    ['before asked', undefined, 0, 'not shown'],
    ['after asked', 'asked', 0, 'not shown'],
    ['shown', 'asked', 0, 'ok'],
    ['answered', 'asked', 0, 'ok'],
    ['before decided', 'asked', 0, 'ok'],
    ['after decided', 'allowed', 0, 'ok'],
    ['before started', 'allowed', 0, 'ok'],
    ['after started', 'unknown', 0, 'APPROVAL_USED'],
    ['first byte', 'unknown', 1, 'APPROVAL_USED'],
    ['before ended', 'unknown', 1, 'APPROVAL_USED'],
    ['after ended', 'finished', 1, 'APPROVAL_USED'],
  ])('%s leaves the state "%s" and a program that ran %i times', async (point, state, ranCount, later) => {
    const here = await place()
    const request = await killedAt(point, here)
    const ledger = fileLedger(here.ledgerPath)
    expect((await ledger.list())[0]?.state).toBe(state)
    expect(await here.ranCount()).toBe(ranCount)
    await using executor = new LocalCommandLineCodeExecutor({ workDir: here.directory, warm: false })
    const outcome = async () =>
      request === undefined
        ? 'not shown'
        : await runApproved(executor, { request, answer: { decision: 'allow' } }, { ledger }).then(
            ({ status }) => status,
            ({ code }) => code,
          )
    expect(await outcome()).toBe(later)
    expect(await outcome()).toBe(later === 'ok' ? 'APPROVAL_USED' : later)
    expect(await here.ranCount()).toBe(later === 'ok' ? 1 : ranCount)
  })
})

describe('a process that is killed while a program calls a tool', { tags: 'all' }, () => {
  it.each<[point: string, state: string | undefined, madeCount: number]>([
    ['before asked', undefined, 0],
    ['answered', 'asked', 0],
    ['after decided', 'allowed', 0],
    ['before started', 'allowed', 0],
    ['after started', 'unknown', 0],
    ['made', 'unknown', 1],
    ['before ended', 'unknown', 1],
    ['after ended', 'finished', 1],
  ])('%s leaves the state "%s" and a call that was made %i times', async (point, state, madeCount) => {
    const here = await place()
    await killedAt(point, here, 'call')
    const [record] = await fileLedger(here.ledgerPath).list()
    expect(record?.state).toBe(state)
    expect(await here.ranCount()).toBe(madeCount)
  })
})

it('two processes with one request and one answer run it once', async () => {
  const here = await place()
  const ledger = fileLedger(here.ledgerPath)
  const executor = new LocalCommandLineCodeExecutor({ workDir: here.directory, warm: false })
  let request: CodeApprovalRequest | undefined
  const asking = askingExecutor(
    executor,
    {
      code: (asked) => {
        request = asked
        throw new Error('Later.')
      },
    },
    { ledger },
  )
  const asked = asking.execute([{ language: 'sh', code: 'echo ran >> ran.txt' }])
  await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
  const json = JSON.stringify(request)
  const processes = [0, 1].map(() => start('run-approved', json, here.ledgerPath, here.directory))
  for (const { lines } of processes) expect((await lines.next()).value).toBe('ready')
  for (const { child } of processes) child.stdin.write('go\n')
  const outcomes = await Promise.all(processes.map(async ({ lines }) => (await lines.next()).value))
  expect(outcomes.sort()).toEqual(['APPROVAL_USED', 'ok'])
  expect(await here.ranCount()).toBe(1)
  expect(await ledger.list()).toMatchObject([{ state: 'finished' }])
})
