import { describe, expect, it, onTestFinished } from 'vitest'
import { imageEngine, provide, removeImage } from './image-support.ts'
import { docker } from './requirements.ts'

// These need the network, and an index of packages: the public one, or what the image's own pip is set to.
describe.skipIf(docker.missing)('packages of an index', () => {
  it('are downloaded and installed', async () => {
    const engine = await imageEngine()
    const options = { image: 'fenced-test/python', packages: ['six==1.17.0'] }
    const { image, notices } = await provide({ engine, options })
    onTestFinished(() => removeImage(engine.docker, image.id))
    const told = notices.map(({ data }) => data?.output)
    expect(told).toContain('Collecting six==1.17.0')
    expect(told).toContain('Successfully installed six-1.17.0')
  })

  it('are told in pip’s words when there is no such thing', async () => {
    const engine = await imageEngine()
    const options = { image: 'fenced-test/python', packages: ['fenced-no-such-package-exists'] }
    await expect(provide({ engine, options })).rejects.toMatchObject({
      code: 'INSTALL_FAILED',
      data: {
        output: expect.stringContaining('No matching distribution found for fenced-no-such-package-exists'),
      },
    })
  })
})
