// @module-tag all

import { describe, expect, it } from 'vitest'
import { directExecutor, jupyter, run } from './support.ts'

describe.skipIf(jupyter.missing)('a cell that lacks a package', () => {
  it('says which line gets it', async () => {
    await using executor = directExecutor()
    const result = await run(executor, 'print("begun")', 'import no_such_module.part')
    expect(result.blocks[0]?.notices).toEqual([
      {
        code: 'missing-package',
        message: expect.any(String),
        data: {
          module: 'no_such_module',
          distribution: 'no_such_module',
          command: '%pip install no_such_module',
        },
      },
    ])
    expect(result.output).toMatch(/^begun\n/)
    expect(result.output).toContain(result.blocks[0]?.notices[0]?.message)
  })

  it('is told so too when the error is a second one', async () => {
    await using executor = directExecutor()
    const lines = ['try:', '    1 / 0', 'except ZeroDivisionError:', '    import cv2_no, cv2']
    const result = await run(executor, ...lines)
    expect(result.blocks[0]?.notices).toMatchObject([{ data: { module: 'cv2_no' } }])
  })

  it.each(['%pip install --dry-run pip', '!pip install --dry-run pip'])(
    'can ask pip, which says what it does: %s',
    async (code) => {
      await using executor = directExecutor()
      const { status, output } = await run(executor, code)
      expect(status).toBe('ok')
      expect(output).toContain('Requirement already satisfied: pip')
    },
  )

  it('is not told so when it copes', async () => {
    await using executor = directExecutor()
    const result = await run(
      executor,
      'try:',
      '    import no_such_module',
      'except ImportError as error:',
      '    print(error)',
    )
    expect(result).toMatchObject({ status: 'ok', blocks: [{ notices: [] }] })
  })

  it('cannot have it installed without asking', () => {
    expect(() => directExecutor({ missingPackages: 'install' })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS' }),
    )
  })
})
