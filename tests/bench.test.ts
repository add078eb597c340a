// @module-tag all

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const main = join(import.meta.dirname, '../bench/main.ts')

/** Runs the command as `pnpm bench` does. */
function bench(...args: readonly string[]) {
  const { promise, resolve } = Promise.withResolvers<{ exitCode: unknown; stdout: string; stderr: string }>()
  execFile(process.execPath, ['--conditions=@fenced/source', main, ...args], (error, stdout, stderr) =>
    resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr }),
  )
  return promise
}

describe('pnpm bench', () => {
  it('lists its benches and options', async () => {
    const { exitCode, stdout, stderr } = await bench('--help')
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    for (const word of ['--quick', '--peers', 'warm', 'kubernetes-scale', 'wire']) {
      expect(stdout).toContain(` ${word} `)
    }
  })

  it('says in one line what it does not know', async () => {
    const { exitCode, stdout, stderr } = await bench('wram')
    expect({ exitCode, stdout, lines: stderr.trim().split('\n').length }).toEqual({
      ...{ exitCode: 1, stdout: '', lines: 1 },
    })
    expect(stderr).toContain('wram')
  })

  it('says first what it leaves out, and keeps the table of a bench between two that fail', async () => {
    const python = '/no/such/python'
    const names = ['jupyter', 'stream', 'spawn', 'output-limit']
    const run = await bench(...names, '--rounds', '1', '--python', python)
    const [first = ''] = run.stderr.split('\nstream ...')
    expect(first).toContain('Skipped: jupyter.')
    expect(first).toContain('--peers')
    expect(run.stdout.match(/^[a-z-]+$/gm)).toEqual(['spawn'])
    expect(run.stdout).toMatch(/^\| .*`true` ÷ bare spawn/m)
    expect(run.exitCode).toBe(1)
    expect(run.stderr).toContain('Failed: stream, output-limit.')
  })

  it('leaves out of a quick run what takes long, and names the command', async () => {
    const { exitCode, stdout, stderr } = await bench('spawn', 'javascript', '--quick', '--json')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('pnpm bench javascript')
    expect(JSON.parse(stdout)).toMatchObject({ failures: [], rows: [{ unit: 'ms' }, { unit: 'ms' }] })
  })
})
