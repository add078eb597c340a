// @module-tag nightly

import { ProcessFiles } from '@fenced/sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LocalSandbox } from '../src/index.ts'

const sandbox = new LocalSandbox()
beforeAll(() => sandbox.start())
afterAll(() => sandbox.stop())

const { directory } = sandbox
const spawn: LocalSandbox['spawn'] = (...given) => sandbox.spawn(...given)

it.each([
  ['a shared directory', sandbox.files],
  ['a sandbox that is reached through processes', new ProcessFiles({ spawn, directory })],
])('a file of 1 GiB goes both ways in bounded memory: %s', { timeout: 600_000 }, async (_, files) => {
  const { rss } = process.memoryUsage()
  let highest = rss
  const onProgress = () => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }
  async function* pieces() {
    for (let count = 0; count < 1_024; count++) yield new Uint8Array(2 ** 20).fill(count)
  }
  await files.write('large', pieces(), { onProgress })
  let size = 0
  for await (const chunk of (await files.read('large', { onProgress })) ?? []) size += chunk.length
  expect(size).toBe(2 ** 30)
  expect(highest - rss).toBeLessThan(2 ** 28)
  await files.remove('large')
})
