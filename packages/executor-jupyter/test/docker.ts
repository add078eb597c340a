import { requirement } from '@fenced/core/testing'
import { connectEngine } from '@fenced/docker-engine'

/** An image with Python, and without Jupyter. */
export const pythonImage = 'fenced-test/python'

/** What the tests of a server in a container need. */
export const docker = requirement('docker', await problem())

async function problem(): Promise<string | undefined> {
  try {
    const engine = await connectEngine(undefined)
    await engine.docker.getImage(pythonImage).inspect()
    engine.close()
  } catch (error) {
    return `there is no engine with the image ${pythonImage} (${error})`
  }
}
