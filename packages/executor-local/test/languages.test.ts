import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { codeExecutionTool, LocalCommandLineCodeExecutor } from '../src/index.ts'
import { python } from './requirements.ts'

describe('languages', () => {
  it.each<[string, string]>([
    ...(python.missing
      ? []
      : ['python', 'py', 'Python3'].map((name): [string, string] => [name, 'print(6 * 7)'])),
    ['sh', 'echo $((6 * 7))'],
    ['shell', 'echo $((6 * 7))'],
    ['bash', 'numbers=(6 7); echo $((numbers[0] * numbers[1]))'],
    ['javascript', 'console.log(6 * 7)'],
    ['js', "const { EOL } = require('node:os'); console.log(42 + EOL.slice(1))"],
    ['js', "import { EOL } from 'node:os'\nconsole.log(42 + EOL.slice(1))"],
    ['typescript', 'const answer: number = 42\nconsole.log(answer)'],
    ['ts', "import { EOL } from 'node:os'\nconst end: string = EOL.slice(1)\nconsole.log(42 + end)"],
  ])('%s runs: %s', async (language, code) => {
    await using executor = new LocalCommandLineCodeExecutor()
    expect(await executor.execute([{ language, code }])).toMatchObject({ status: 'ok', output: '42\n' })
  })

  it.each(['commonjs', 'module'])('keep their labels in a package of the type %s', async (type) => {
    await using executor = new LocalCommandLineCodeExecutor()
    const imports = "import { sep } from 'node:path'\nconsole.log(sep, typeof require)"
    const requires = "console.log(require('node:path').sep, typeof require)"
    const { blocks } = await executor.execute([
      { language: 'json', info: 'package.json', code: JSON.stringify({ type }) },
      { language: 'javascript', info: 'mjs', code: imports },
      { language: 'mts', code: imports },
      { language: 'javascript', info: 'cjs', code: requires },
      { language: 'cts', code: requires },
    ])
    const outputs = ['', '/ undefined\n', '/ undefined\n', '/ function\n', '/ function\n']
    expect(blocks.map(({ stdout, stderr }) => stdout + stderr)).toEqual(outputs)
  })

  it.each<[type: string, programs: [language: string, code: string][]]>([
    [
      'commonjs',
      [
        ['js', "import fs from 'node:fs'\nconsole.log(typeof fs, await 1)"],
        ['ts', "import fs from 'node:fs'\nconst kind: string = typeof fs\nconsole.log(kind, await 1)"],
      ],
    ],
    [
      'module',
      [
        ['js', "one = 1; console.log(typeof require('node:fs'), require.main === module ? one : 0)"],
        ['ts', "const fs: object = require('node:fs'); console.log(typeof fs, 1)"],
      ],
    ],
  ])('of Node run a program of the other kind in a package of the type %s', async (type, programs) => {
    await using executor = new LocalCommandLineCodeExecutor()
    const manifest = { language: 'json', info: 'package.json', code: JSON.stringify({ type }) }
    const { blocks } = await executor.execute([
      manifest,
      ...programs.map(([language, code]) => ({ language, code })),
    ])
    expect(blocks.map(({ stdout, stderr }) => stdout + stderr)).toEqual(['', 'object 1\n', 'object 1\n'])
  })

  it.each([
    ['enum', 'enum Color {\n  Red,\n  Green,\n}\nconsole.log(Color.Red)'],
    ['parameter property', 'class A { constructor(private x: number) {} }'],
    ['namespace declaration', 'namespace N { export const a = 1 }\nconsole.log(N.a)'],
  ])('TypeScript that Node does not run gives the fix: %s', async (syntax, code) => {
    await using executor = new LocalCommandLineCodeExecutor()
    const { status, blocks } = await executor.execute([{ language: 'ts', code }])
    expect({ status, notices: blocks[0]?.notices }).toMatchObject({
      status: 'error',
      notices: [{ code: 'typescript-syntax', data: { syntax } }],
    })
  })

  it('of Node run without options that a program could see', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const code = 'const options: string[] = process.execArgv\nconsole.log(options)'
    expect(await executor.execute([{ language: 'ts', code }])).toMatchObject({ status: 'ok', output: '[]\n' })
  })

  it('that another one runs are named', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const { blocks } = await executor.execute([{ language: 'bash', info: 'zsh', code: 'echo 42' }])
    const notice = { code: 'interpreter-substituted', data: { label: 'zsh', language: 'bash' } }
    expect(blocks).toMatchObject([{ stdout: '42\n', notices: [notice] }])
  })

  it('can be added, and the added one is named by the capabilities', async () => {
    await using executor = new LocalCommandLineCodeExecutor({
      languages: [
        {
          id: 'awk',
          aliases: ['gawk'],
          extension: 'awk',
          comments: [{ open: '#' }],
          kind: 'run',
          commands: [['awk', '-f']],
        },
      ],
    })
    expect(executor.capabilities.languages).toContain('awk')
    const result = await executor.execute([{ language: 'gawk', code: 'BEGIN { print 6 * 7 }' }])
    expect(result).toMatchObject({ status: 'ok', output: '42\n' })
  })

  it('whose interpreter cannot be executed give 126', async () => {
    await using executor = new LocalCommandLineCodeExecutor({
      languages: [
        { id: 'odd', aliases: [], extension: 'odd', comments: [], kind: 'run', commands: [['/etc/passwd']] },
      ],
    })
    const result = await executor.execute([{ language: 'odd', code: '' }])
    expect(result).toMatchObject({
      status: 'invalid',
      exitCode: 126,
      blocks: [{ notices: [{ code: 'no-interpreter', data: { language: 'odd', program: '/etc/passwd' } }] }],
    })
  })

  it('without a program are not offered, and a block in one names the others', async () => {
    const programs = await mkdtemp(join(tmpdir(), 'fenced-programs-'))
    onTestFinished(() => rm(programs, { recursive: true }))
    vi.stubEnv('PATH', programs)
    onTestFinished(() => void vi.unstubAllEnvs())
    await symlink('/bin/sh', join(programs, 'sh'))
    await using executor = new LocalCommandLineCodeExecutor()
    expect(executor.capabilities.languages).toEqual(['python', 'sh', 'javascript', 'typescript'])
    const result = await executor.execute([{ language: 'powershell', code: 'Write-Output 42' }])
    expect(result).toMatchObject({
      status: 'invalid',
      exitCode: 127,
      blocks: [
        {
          notices: [{ code: 'unsupported-language', data: { known: 'python, sh, javascript, typescript' } }],
        },
      ],
    })
    expect(JSON.stringify(result)).not.toContain(programs)
  })

  it.skipIf(process.platform === 'win32')(
    'PowerShell runs and is offered only where it is named',
    async () => {
      const programs = await mkdtemp(join(tmpdir(), 'fenced-programs-'))
      onTestFinished(() => rm(programs, { recursive: true }))
      for (const name of ['sh', 'pwsh']) await symlink('/bin/true', join(programs, name))
      vi.stubEnv('PATH', programs)
      onTestFinished(() => void vi.unstubAllEnvs())
      const block = { language: 'pwsh', code: 'Write-Output 42' }
      await using executor = new LocalCommandLineCodeExecutor()
      expect(codeExecutionTool(executor).description).not.toContain('powershell')
      expect((await executor.execute([block])).blocks[0]?.notices[0]?.code).toBe('unsupported-language')
      await using named = new LocalCommandLineCodeExecutor({ executionPolicies: { powershell: true } })
      expect(codeExecutionTool(named).description).toContain('powershell')
      expect((await named.execute([block])).status).toBe('ok')
    },
  )

  it('PowerShell without a PowerShell gives 127 and names both programs', async () => {
    await using executor = new LocalCommandLineCodeExecutor({
      languages: [
        {
          id: 'powershell',
          aliases: ['pwsh'],
          extension: 'ps1',
          comments: [],
          kind: 'run',
          commands: [['no-pwsh'], ['no-powershell']],
        },
      ],
    })
    const result = await executor.execute([{ language: 'pwsh', code: 'Write-Output 42' }])
    expect(result).toMatchObject({ status: 'invalid', exitCode: 127 })
    expect(result.blocks[0]?.notices).toMatchObject([
      { code: 'no-interpreter', data: { language: 'powershell', program: 'no-pwsh, no-powershell' } },
    ])
  })
})
