// @module-tag all

import { describe, expect, it } from 'vitest'
import { fenced, terminalCommand } from './command.ts'
import { bubblewrap, python } from './requirements.ts'

describe.concurrent('fenced doctor', () => {
  it.skipIf(python.missing)('runs a program where code can run', async () => {
    const { code, stdout } = await fenced(['doctor', 'local', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      { check: 'local', works: true, detail: expect.stringMatching(/^Python 3[.\d]+ as user \d+$/) },
    ])
  })

  it('says what stands in the way, and what to do', async () => {
    const env = { DOCKER_HOST: 'unix:///not/there/docker.sock', PATH: '/usr/bin:/bin' }
    const { code, stdout } = await fenced(['doctor', 'docker', 'disk'], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^docker {6}fails {2}\S/m)
    expect(stdout).toMatch(/^disk {8}works {2}\d+ MB are free/m)
  })

  it('lists the sockets of engines one below the other', async ({ skip }) => {
    const { stdout } = await fenced(['doctor', 'docker'], {
      env: { DOCKER_HOST: undefined, HOME: '/not/there', PATH: '/not/there' },
    })
    if (stdout.includes('works')) skip('An engine answers at its usual socket.')
    const lines = stdout.split('\n')
    expect(lines.filter((line) => /^ {19} {2}unix:\/\/\S+$/.test(line)).length).toBeGreaterThan(2)
    expect(lines.filter((line) => line.length > 120)).toEqual([])
  })

  it('has the code and the values of each check that fails', async () => {
    const env = { DOCKER_HOST: 'unix:///not/there/docker.sock', PATH: '/not/there', KUBECONFIG: '/not/there' }
    const { code, stdout } = await fenced(['doctor', '--json'], { env: { ...env, VIRTUAL_ENV: undefined } })
    const findings: { check: string; code?: string; data?: object }[] = JSON.parse(stdout)
    expect(code).toBe(1)
    const python = { language: 'python' }
    expect(findings.map(({ check, code, data }) => [check, code, data])).toMatchObject([
      ['local', 'no-interpreter', python],
      ['bubblewrap', 'ISOLATION_UNAVAILABLE', { program: 'bwrap' }],
      ['docker', 'ENGINE_UNREACHABLE', { command: 'docker --host unix:///not/there/docker.sock version' }],
      ['jupyter', 'PYTHON_NOT_FOUND', python],
      ['kubernetes', undefined, undefined],
      ['disk', undefined, undefined],
    ])
    expect(findings.find(({ check }) => check === 'kubernetes')).toMatchObject({
      works: false,
      repair: expect.stringContaining('KUBECONFIG'),
    })
  })

  it.skipIf(bubblewrap.missing || python.missing)(
    'lists the paths in /etc that programs do not see',
    { tags: 'nightly' },
    async () => {
      const [named, json] = await Promise.all([
        fenced(['doctor', 'bubblewrap']),
        fenced(['doctor', 'bubblewrap', '--json']),
      ])
      expect(named.stdout).toMatch(/these paths: .*\/etc\/shadow, .*`readable`/s)
      const [{ hidden }] = JSON.parse(json.stdout)
      expect(hidden).toContain('/etc/shadow')
      expect(hidden).not.toContain('/etc/passwd')
    },
  )

  it('starts no pod unasked', { tags: 'nightly' }, async () => {
    const { stdout } = await fenced(['doctor', '--json'], { env: { KUBECONFIG: import.meta.filename } })
    const findings: { check: string; detail: string; repair?: string }[] = JSON.parse(stdout)
    expect(findings.map(({ check }) => check)).toEqual([
      'local',
      'bubblewrap',
      'docker',
      'jupyter',
      'kubernetes',
      'disk',
    ])
    expect(findings.find(({ check }) => check === 'kubernetes')?.repair).toBe('fenced doctor kubernetes')
  })

  it.skipIf(bubblewrap.missing || python.missing)(
    'says how to list what bubblewrap hides',
    { tags: 'nightly' },
    async () => {
      const findings: { check: string; detail: string }[] = JSON.parse(
        (await fenced(['doctor', '--json'])).stdout,
      )
      expect(findings.find(({ check }) => check === 'bubblewrap')?.detail).toMatch(
        /do not see \d+ paths in \/etc\. This lists them:\nfenced doctor bubblewrap$/,
      )
    },
  )

  it.skipIf(python.missing)(
    'has colors in a terminal, unless NO_COLOR is set',
    { tags: 'nightly' },
    async () => {
      const printed = async (env: NodeJS.ProcessEnv) => {
        const command = terminalCommand(['doctor', 'disk'], { env: { TERM: 'xterm', CI: undefined, ...env } })
        const { stdout } = await command.ended
        return stdout.slice(0, stdout.indexOf('MB')).replaceAll(/\d+ $/g, '')
      }
      expect(await printed({ NO_COLOR: undefined })).toBe('disk        \x1b[32mworks\x1b[39m  ')
      expect(await printed({ NO_COLOR: '1' })).toBe('disk        works  ')
    },
  )

  it.skipIf(python.missing)('fits into a narrow terminal', { tags: 'nightly' }, async () => {
    const inTerminal = async (columns: number) => {
      const env = { TERM: 'xterm', NO_COLOR: '1', DOCKER_HOST: 'unix:///no.sock' }
      const command = terminalCommand(['doctor', 'disk', 'docker'], { env, columns })
      return (await command.ended).stdout.split(/\r?\n/)
    }
    const narrow = await inTerminal(40)
    expect(narrow.slice(0, 2)).toEqual([
      'disk        works',
      expect.stringMatching(/^ {2}\d+ MB are free in /),
    ])
    const disk = narrow.slice(
      0,
      narrow.findIndex((line) => line.startsWith('docker')),
    )
    expect(disk.length).toBeGreaterThan(2)
    expect(disk.filter((line) => line.length > 40)).toEqual([])
    const wide = await inTerminal(62)
    expect(wide[0]).toMatch(/^disk {8}works {2}\d+ MB are free in \S/)
    expect(wide[1]).toMatch(/^ {19}\S/)
    expect(wide.filter((line) => /^docker {6}fails {2}\S/.test(line))).toHaveLength(1)
  })

  it('knows its checks', async () => {
    const { code, stderr } = await fenced(['doctor', 'moon'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('local, bubblewrap')])
  })
})
