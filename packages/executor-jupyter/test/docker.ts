import { requirement } from '@fenced/testing'
import Docker from 'dockerode'

/** An image with Python, and without Jupyter. */
export const pythonImage = 'fenced-test/python'

/** What the tests of a server in a container need. */
export const docker = requirement('docker', await problem())

async function problem(): Promise<string | undefined> {
  try {
    await new Docker().getImage(pythonImage).inspect()
  } catch (error) {
    return `there is no engine with the image ${pythonImage} (${error})`
  }
}
