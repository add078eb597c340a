import { z } from '@fenced/core/zod'
import { describe, expect, it } from 'vitest'
import { imageOptionsShape } from './image-options.ts'

const schema = z.strictObject(imageOptionsShape)

describe('imageOptionsShape', () => {
  it('has defaults', () => {
    expect(schema.parse({})).toEqual({
      pull: 'missing',
      packages: [],
      installNetwork: 'open',
      installEnv: {},
      installTimeoutMs: 3_600_000,
    })
    expect(schema.parse({ build: { context: '.' } }).build).toEqual({
      context: '.',
      dockerfile: 'Dockerfile',
      buildArgs: {},
    })
  })

  it.each([
    {
      packages: [
        'six',
        'a @ git+https://example.com/a',
        'https://example.com/a-1.0-py3-none-any.whl',
        'b[c]>=1,<2',
      ],
    },
    { requirements: ['--extra-index-url https://example.com', 'six'] },
    { platform: 'linux/arm/v7', image: 'registry.example.com:5000/a/b:c' },
  ])('takes %j', (options) => {
    expect(schema.parse(options)).toMatchObject(options)
  })

  it('refuses options that no engine takes', ({ everyRow }) =>
    everyRow(
      [
        { packages: ['--index-url=https://evil.example.com'] },
        { packages: [' -r/etc/passwd'] },
        { packages: [''] },
        { image: 'a/../b' },
        { image: 'Python' },
        { platform: 'arm64' },
        { pull: 'sometimes' },
        { build: { context: '' } },
        { build: { context: '.', dockerFile: 'x' } },
        { installEnv: { 'A=B': 'c' } },
      ],
      (options) => {
        expect(schema.safeParse(options).success).toBe(false)
      },
    ))
})
