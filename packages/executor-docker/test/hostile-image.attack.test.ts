import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { uniqueSeconds } from '@fenced/testing'
import { expect, it, onTestFinished } from 'vitest'
import { DockerCommandLineCodeExecutor } from '../src/index.ts'
import { rawEngine } from './raw-engine.ts'
import { docker } from './requirements.ts'

const mebibyte = 2 ** 20

/** An image whose shell does something else when Fenced looks around in its container. */
async function imageWithShell(whenProbed: string): Promise<{ image: string; context: string }> {
  const context = await mkdtemp(join(tmpdir(), 'fenced-test-'))
  const image = `fenced-test/hostile-${uniqueSeconds()}`.replace('.', '-')
  onTestFinished(async () => {
    await rm(context, { recursive: true })
    await (await rawEngine()).getImage(image).remove({ force: true })
  })
  const shell = `#!/bin/busybox sh\ncase "$*" in *fenced-probe*) ${whenProbed} ;; esac\nexec /bin/busybox sh "$@"\n`
  await writeFile(join(context, 'shell'), shell, { mode: 0o755 })
  // `COPY` would follow the link that /bin/sh is.
  const move = '["/bin/busybox", "mv", "-f", "/shell", "/bin/sh"]'
  await writeFile(join(context, 'Dockerfile'), `FROM fenced-test/busybox\nCOPY shell /shell\nRUN ${move}\n`)
  return { image, context }
}

it.skipIf(docker.missing)('an image whose shell writes without end does not fill the memory', async () => {
  const { image, context } = await imageWithShell('exec /bin/busybox yes')
  await using executor = new DockerCommandLineCodeExecutor({ image, build: { context } })
  const before = process.memoryUsage().rss
  await expect(executor.start()).rejects.toMatchObject({
    code: 'CONTAINER_UNUSABLE',
    data: { limitBytes: '1048576' },
  })
  expect((process.memoryUsage().rss - before) / mebibyte).toBeLessThan(128)
})
