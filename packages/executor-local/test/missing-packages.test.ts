import { LocalCommandLineCodeExecutor } from '@fenced/executor-local'
import { describe, expect, it } from 'vitest'
import { bubblewrap, python } from './requirements.ts'

const lacking = [{ language: 'python', code: "print('begun')\nimport no_such_module" }]

describe.skipIf(python.missing)('a Python block that lacks a package', () => {
  it('says how this Python gets it, unless it belongs to the system', async () => {
    await using executor = new LocalCommandLineCodeExecutor()
    const where = await executor.execute([{ language: 'python', code: 'import sys; print(sys.executable)' }])
    const result = await executor.execute(lacking)
    const [notice] = result.blocks[0]?.notices ?? []
    expect(notice).toMatchObject({
      code: 'missing-package',
      data: { module: 'no_such_module', distribution: 'no_such_module' },
    })
    const command = `${where.output.trim()} -m pip install no_such_module`
    expect([command, undefined]).toContain(notice?.data?.command)
    expect(result.output).toMatch(/^begun\nTraceback /)
    expect(result.output).toContain(`\n${notice?.message}\n`)
  })

  it.skipIf(bubblewrap.missing)(
    'in bubblewrap tells the person how, and the model that code cannot',
    async () => {
      await using executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap' })
      const { output, blocks } = await executor.execute(lacking)
      const [notice] = blocks[0]?.notices ?? []
      expect(notice).toMatchObject({
        code: 'missing-package',
        data: { advice: expect.stringContaining('--executor docker --packages no_such_module') },
      })
      expect(output).toContain(notice?.message.replace(` ${notice.data?.advice}`, ''))
      expect(output).not.toContain('-m pip install')
    },
  )

  it('is run once more when its caller knows how to install', async () => {
    const asked: (readonly string[])[] = []
    await using executor = new LocalCommandLineCodeExecutor(
      { missingPackages: 'install', installablePackages: 'any' },
      {
        installPackages: async (packages) => {
          asked.push(packages)
        },
      },
    )
    const result = await executor.execute(lacking)
    expect(asked).toEqual([['no_such_module']])
    expect(result.blocks[0]?.notices.map(({ code }) => code)).toEqual([
      'package-installed',
      'missing-package',
    ])
    expect(result.blocks[0]?.stdout).toBe('begun\n')
  })

  it.each([
    ['its label', { info: 'python title="no_such_module.py"', code: 'x = 1' }],
    ['the line above its fence', { fileAbove: 'src/no_such_module.py', code: 'x = 1' }],
    ['its first line', { info: 'python', code: '# no_such_module.py\nx = 1' }],
  ])('is neither installed nor suggested where a block has its file name in %s', async (_, module) => {
    const asked: (readonly string[])[] = []
    await using executor = new LocalCommandLineCodeExecutor(
      { missingPackages: 'install', installablePackages: 'any' },
      {
        installPackages: async (packages) => {
          asked.push(packages)
        },
      },
    )
    const given = { language: 'python', ...module }
    // As a stream gives them: one by one.
    await executor.execute([given])
    for (const result of [await executor.execute(lacking), await executor.execute([given, ...lacking])]) {
      expect(result.blocks.at(-1)?.notices).toMatchObject([
        { code: 'module-not-saved', data: { module: 'no_such_module', path: 'no_such_module.py' } },
      ])
      expect(result.output).not.toContain('pip install')
    }
    expect(asked).toEqual([])
  })

  it('cannot be given what nobody installs', () => {
    expect(() => new LocalCommandLineCodeExecutor({ missingPackages: 'install' })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        data: { executor: 'local', option: 'missingPackages' },
      }),
    )
  })
})
