import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { SandboxProcess } from '@fenced/core/sandbox'
import { requirement } from '@fenced/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { spawnInTerminal } from '../src/driver.ts'
import { localSandbox } from './local-sandbox.ts'

const scriptPath = '/usr/bin/script'
const script = requirement('script', existsSync(scriptPath) ? undefined : `there is no ${scriptPath}`)
const terminal = { columns: 100, rows: 30 }
const { sandbox } = localSandbox({ isMounted: false, hasNetwork: false })

beforeAll(() => sandbox.start())
afterAll(() => sandbox.stop())

/** In a sandbox that has only these of the programs that make a terminal. */
function openWith(
  programs: Readonly<Record<string, string>>,
  command: readonly [string, ...string[]],
): Promise<SandboxProcess> {
  const which = async () => new Map(Object.entries(programs))
  return spawnInTerminal(command, { terminal }, { which, spawn: sandbox.spawn.bind(sandbox) })
}

it('a sandbox without a program that makes a terminal starts nothing', async () => {
  const missing = openWith({}, ['/bin/sh'])
  await expect(missing).rejects.toMatchObject({ code: 'NO_TERMINAL' })
  const broken = openWith({ python3: '/bin/false', python: '/no/such/python' }, ['/bin/sh'])
  await expect(broken).rejects.toMatchObject({
    code: 'NO_TERMINAL',
    data: { reason: expect.stringMatching(/false.*such/) },
  })
})

it('stdin cannot be closed where there is a terminal', async () => {
  await expect(sandbox.spawn(['/bin/sh'], { terminal, stdin: 'none' })).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    data: { option: 'stdin' },
  })
})

it.skipIf(script.missing)('`script` makes the terminal where no Python works', async () => {
  const programs = { python3: '/bin/false', script: scriptPath }
  // `stty` changes one number after the other, with a signal each.
  const onChange = `[ "$(stty size)" = '20 90' ] && trap '' WINCH && stty size && exit 5`
  const words = `changed() { ${onChange}; }; trap changed WINCH; stty size; printf '%s|' "$@"; while :; do sleep 0.05; done`
  const process = await openWith(programs, ['/bin/sh', '-c', words, 'sh', "it's", '$HOME', 'a  b'])
  let shown = ''
  for await (const chunk of process.stdout) {
    shown += chunk
    if (shown.endsWith('b|')) await process.resize?.({ columns: 90, rows: 20 })
  }
  expect(shown).toBe("30 100\r\nit's|$HOME|a  b|20 90\r\n")
  expect(await process.ended).toMatchObject({ kind: 'exited', exitCode: 5 })
  const none = await openWith(programs, ['no-such-program'])
  expect(await none.ended).toMatchObject({ kind: 'not-started', reason: 'not-found' })
})

it.skipIf(script.missing)('the end of stdin is Ctrl-D for a program in `script`', async () => {
  const process = await openWith({ script: scriptPath }, ['/bin/sh', '-c', 'cat > /dev/null; echo end'])
  process.stdin?.end()
  expect(await text(process.stdout)).toMatch(/end\r\n$/)
  expect(await process.ended).toMatchObject({ kind: 'exited', exitCode: 0 })
})

it('a signal that is aborted while the terminal is made starts nothing', async () => {
  const controller = new AbortController()
  const reason = new Error('not wanted')
  const which = async () => {
    controller.abort(reason)
    return new Map([['python3', 'python3']])
  }
  const place = { which, spawn: sandbox.spawn.bind(sandbox) }
  const opening = spawnInTerminal(['/bin/sh'], { terminal, signal: controller.signal }, place)
  await expect(opening).rejects.toBe(reason)
})
