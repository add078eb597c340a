// Runs fifty blocks and prints what is left of them in this process and on this machine.
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { openDescriptors, quietCount, temporaryEntries } from '@fenced/testing'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const executor = new LocalCommandLineCodeExecutor()
const signal = new AbortController().signal
await executor.execute([{ language: 'sh', code: 'true' }], { signal })
// What the first block starts in the background is there.
const before = await quietCount(leftovers, 2_000)
for (let block = 0; block < 50; block++) {
  const { status } = await executor.execute(
    [{ language: 'sh', code: `sleep ${process.argv[2]} >/dev/null 2>&1 & true` }],
    {
      signal,
    },
  )
  if (status !== 'ok') throw new Error(status)
}
const after = await quietCount(leftovers)
const workDir = executor.workDir
await executor.stop()
console.log(JSON.stringify({ before, after, workDirLeft: existsSync(workDir) }))

function leftovers() {
  return {
    descriptors: openDescriptors().size,
    resources: process.getActiveResourcesInfo().length,
    files: readdirSync(executor.workDir).length,
    temporary: temporaryEntries(tmpdir()).filter((name) => name.startsWith('fenced-')).length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  }
}
