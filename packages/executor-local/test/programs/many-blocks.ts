// Runs fifty blocks and prints what is left of them in this process and on this machine.
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const executor = new LocalCommandLineCodeExecutor()
const signal = new AbortController().signal
await executor.execute([{ language: 'sh', code: 'true' }], { signal })
const before = await settled()
for (let block = 0; block < 50; block++) {
  const { status } = await executor.execute(
    [{ language: 'sh', code: `sleep ${process.argv[2]} >/dev/null 2>&1 & true` }],
    {
      signal,
    },
  )
  if (status !== 'ok') throw new Error(status)
}
const after = await leftovers()
const workDir = executor.workDir
await executor.stop()
console.log(JSON.stringify({ before, after, workDirLeft: existsSync(workDir) }))

/** What the first block starts in the background is there: nothing has changed for two seconds. */
async function settled() {
  let [found, same] = [await leftovers(), 0]
  while (same < 4) {
    const now = await leftovers()
    same = isDeepStrictEqual(now, found) ? same + 1 : 0
    found = now
  }
  return found
}

async function leftovers() {
  // A handle that was closed is gone only in the next turns of the event loop.
  await delay(500)
  return {
    descriptors: existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0,
    resources: process.getActiveResourcesInfo().length,
    files: readdirSync(executor.workDir).length,
    temporary: readdirSync(tmpdir()).filter((name) => name.startsWith('fenced-')).length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  }
}
