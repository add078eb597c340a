import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { executorIn } from './executor-of.ts'
import { TestNamespace } from './namespace.ts'
import { ownCluster } from './requirements.ts'

const namespace = ownCluster.missing ? undefined : await TestNamespace.create()

describe.skipIf(ownCluster.missing)('the files of a pod', () => {
  afterAll(() => namespace?.remove())

  it.each(['fenced-test/plain', 'fenced-test/busybox'])(
    'come and go whole, and are removed, with the tar and dd of the image %s',
    async (image) => {
      await using executor = executorIn(namespace?.name, { pod: { image } })
      await executor.start()
      const host = (name: string) => join(executor.workDir, name)
      // More than a chunk, and no line of it may be read as a script.
      const content = Buffer.from('xtouch injected\n.\n0\n'.repeat(40_000))
      await writeFile(host('given'), content)
      await executor.execute([{ language: 'sh', code: 'cp given made; rm given' }])
      expect((await readFile(host('made'))).equals(content)).toBe(true)
      await expect(readFile(host('given'))).rejects.toMatchObject({ code: 'ENOENT' })
      await writeFile(host("it's\nodd"), 'odd')
      const list = { language: 'sh', code: 'set -- *; echo $#; cat it*' }
      expect(await executor.execute([list])).toMatchObject({ output: '2\nodd' })
    },
  )
})
