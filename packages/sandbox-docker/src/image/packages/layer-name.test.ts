import { describe, expect, it } from 'vitest'
import { layerName, normalizePackages } from './layer-name.ts'

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

describe('normalizePackages', () => {
  it('sorts, takes each once, and spells names in one way', () => {
    expect(
      normalizePackages(['  Zope.Interface ', 'NumPy', 'numpy', 'a__b[Extra]>=1.0', 'Six == 1.0']),
    ).toEqual(['a-b[Extra]>=1.0', 'numpy', 'six == 1.0', 'zope-interface'])
  })

  it('leaves addresses and paths as they are', () => {
    const packages = ['./Some_Dir', 'git+https://Host/A_b.git', 'https://Host/A_b-1.0.whl']
    expect(normalizePackages(packages)).toEqual(packages)
    expect(normalizePackages(['My_Pkg @ git+https://Host/A_b.git'])).toEqual([
      'my-pkg @ git+https://Host/A_b.git',
    ])
  })
})
