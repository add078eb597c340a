// Runs blocks by a runner and prints what is left of them in this process and in the runner.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

await using executor = new LocalCommandLineCodeExecutor({ warm: true })
const runner = Number(await run('import os; print(os.getppid())'))
const before = await settled()
for (let block = 0; block < 300; block++) {
  await run(
    block % 3 === 0 ? "import os; os.system('sleep 7700 >/dev/null 2>&1 &')" : 'import sys; sys.exit(0)',
  )
}
console.log(JSON.stringify({ before, after: await settled() }))

async function run(code: string): Promise<string> {
  const { status, output } = await executor.execute([{ language: 'python', code }])
  if (status !== 'ok') throw new Error(`${status}: ${output}`)
  return output
}

/** What is open when nothing has changed for a second: what a block opened or closed late is counted, or gone. */
async function settled() {
  let [found, same] = [await leftovers(), 0]
  while (same < 10) {
    await sleep(100)
    const now = await leftovers()
    same = isDeepStrictEqual(now, found) ? same + 1 : 0
    found = now
  }
  return found
}

async function leftovers() {
  // The runner makes the process of the next block when the last one has ended.
  while (childrenOf(runner) === 0) await sleep(10)
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    ofRunner: descriptorsOf(runner),
    children: childrenOf(runner),
  }
}

function childrenOf(id: number): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === id).length
}

/** The runner hides its own from users other than root. */
function descriptorsOf(id: number): number {
  try {
    return readdirSync(`/proc/${id}/fd`).length
  } catch {
    return -1
  }
}

function parentOf(id: string): number {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return -1
  }
}
