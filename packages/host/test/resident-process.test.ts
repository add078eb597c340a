import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesLeft, uniqueSeconds } from '@fenced/testing'
import { describe, expect, test } from 'vitest'
import { ResidentProcess } from '../src/resident-process.ts'

const env = { PATH: process.env.PATH ?? '' }

function resident(script: string, stdin = false): ResidentProcess {
  return new ResidentProcess({ command: ['sh', '-c', `exec 1>&2; ${script}`], cwd: '/', env, stdin })
}

async function said(process: ResidentProcess, text: string): Promise<void> {
  while (!process.stderrTail.includes(text)) await sleep(5)
}

describe('a resident process', () => {
  test('ends when it is asked to, with everything that it started', async () => {
    const seconds = uniqueSeconds()
    const shell = resident(`sleep ${seconds} & setsid sleep ${seconds} & echo ready; wait`)
    await said(shell, 'ready')
    await shell.end(5_000)
    expect(await shell.exited).toMatchObject({ signal: 'SIGTERM' })
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })

  test('that does not want to end is ended', async () => {
    const shell = resident('trap "" TERM; echo ready; while :; do sleep 1; done')
    await said(shell, 'ready')
    await shell.end(50)
    expect(await shell.exited).toMatchObject({ signal: 'SIGKILL' })
  })

  test('that ends by itself takes its group along', async () => {
    const seconds = uniqueSeconds()
    const shell = resident(`sleep ${seconds} & exit 3`)
    expect(await shell.exited).toEqual({ code: 3, signal: null })
    expect(shell.hasExited).toBe(true)
    expect(await processesLeft(`${seconds}`)).toEqual([])
    await shell.kill()
  })

  test('keeps its last words', async () => {
    const shell = resident('head -c 100000 /dev/zero | tr "\\0" x; echo; echo last >&2')
    await shell.exited
    await said(shell, 'last')
    expect(shell.stderrTail.length).toBeLessThan(10_000)
    await shell.kill()
  })

  test('that cannot be started says so', async () => {
    const missing = new ResidentProcess({ command: ['/no/such/program'], cwd: '/', env })
    expect(await missing.exited).toMatchObject({ error: { code: 'ENOENT' } })
    await missing.end(1_000)
  })

  test('has a stdin that ends with us', async () => {
    const shell = resident('read line; echo "got $line"; cat; echo over', true)
    shell.write('a line\n')
    await said(shell, 'got a line')
    await shell.kill()
  })

  test('says what it says to whoever reads its output', async () => {
    const shell = new ResidentProcess({
      command: ['sh', '-c', 'read line; echo "got $line"'],
      cwd: '/',
      env,
      stdin: true,
      stdout: true,
    })
    shell.input?.write('a line\n')
    expect(String(await shell.output?.toArray())).toBe('got a line\n')
    await shell.kill()
  })

  test('lets us go where it need not keep us', async () => {
    const program = `
      import { ResidentProcess } from '@fenced/host'
      const shell = new ResidentProcess({ command: ['sleep', '7700'], cwd: '/', env: process.env, stdin: true, stdout: true })
      shell.setRef(false)`
    const host = spawn(
      process.execPath,
      ['--conditions=@fenced/source', '--input-type=module', '--eval', program],
      { cwd: `${import.meta.dirname}/../../executor-local`, stdio: 'inherit' },
    )
    expect(await once(host, 'exit')).toEqual([0, null])
  })

  test('what it starts from a moment on can be ended apart', async () => {
    const [before, after] = [uniqueSeconds(), uniqueSeconds()]
    const shell = resident(
      `sleep ${before} & echo ready; read seconds; setsid sleep "$seconds" & echo started; read more`,
      true,
    )
    await said(shell, 'ready')
    const descendants = shell.watchDescendants()
    shell.write(`${after}\n`)
    await said(shell, 'started')
    descendants.kill()
    expect(await processesLeft(`${after}`)).toEqual([])
    expect(shell.hasExited).toBe(false)
    await shell.kill()
  })

  test('ends with a host that exits without a word', async () => {
    const seconds = uniqueSeconds()
    const program = `
      import { ResidentProcess } from '@fenced/host'
      const shell = new ResidentProcess({ command: ['sh', '-c', 'setsid sleep ${seconds} & echo ready >&2; sleep ${seconds}'], cwd: '/', env: process.env })
      setInterval(() => shell.stderrTail.includes('ready') && process.exit(0), 5)`
    const host = spawn(
      process.execPath,
      ['--conditions=@fenced/source', '--input-type=module', '--eval', program],
      { cwd: `${import.meta.dirname}/../../executor-local`, stdio: 'inherit' },
    )
    await once(host, 'exit')
    expect(await processesLeft(`${seconds}`)).toEqual([])
  })
})
