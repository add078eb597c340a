import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DirectoryLease } from '@fenced/core/internal'
import { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { DockerJupyterServer } from '@fenced/executor-jupyter/docker'
import { afterEach, beforeEach, expect, test } from 'vitest'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fenced-shared-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

test('a Jupyter server in a container is refused a directory in which programs without isolation run', async () => {
  const lease = new DirectoryLease({ isolation: 'none' })
  lease.take(directory)
  await using server = new DockerJupyterServer({ workDir: directory })
  await expect(server.connect()).rejects.toMatchObject({ code: 'WORK_DIR_SHARED' })
  lease.release()
})

test('a kernel without isolation is refused a directory in which isolated programs run', async () => {
  const lease = new DirectoryLease({ isolation: 'container' })
  lease.take(directory)
  await using executor = new JupyterCodeExecutor({ workDir: join(directory, 'pictures') })
  await expect(executor.start()).rejects.toMatchObject({ code: 'WORK_DIR_SHARED' })
  lease.release()
})
