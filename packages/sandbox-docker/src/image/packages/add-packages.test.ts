import { describe, expect, it } from 'vitest'
import { layerName } from './add-packages.ts'

const parts = {
  baseImageId: 'sha256:1',
  platform: undefined,
  packages: ['numpy'],
  requirements: [{ name: '0-requirements.txt', content: 'pandas\n' }],
}

describe('layerName', () => {
  it('is the same for the same parts', () => {
    expect(layerName(parts)).toEqual(layerName(structuredClone(parts)))
    expect(layerName(parts).reference).toMatch(/^fenced-packages:[0-9a-f]{32}$/)
  })

  it.each([
    { baseImageId: 'sha256:2' },
    { platform: 'linux/arm64' },
    { packages: ['numpy', 'six'] },
    { packages: ['numpy,six'] },
    { requirements: [] },
    { requirements: [{ name: '0-requirements.txt', content: 'pandas==2\n' }] },
  ])('is another one with %j', (change) => {
    expect(layerName({ ...parts, ...change })).not.toEqual(layerName(parts))
  })
})
