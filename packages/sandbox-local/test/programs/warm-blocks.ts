// Runs blocks by a runner and prints what is left of them in this process and in the runner.
import { readdirSync, readFileSync } from 'node:fs'
import { openDescriptors, quietCount } from '@fenced/testing'
import { LocalExecutor } from '../local-executor.ts'

await using executor = new LocalExecutor({ warm: {} })
const runner = Number(await run('import os; print(os.getppid())'))
const before = await quietCount(leftovers)
for (let block = 0; block < 60; block++) {
  await run(
    block % 3 === 0 ? "import os; os.system('sleep 7700 >/dev/null 2>&1 &')" : 'import sys; sys.exit(0)',
  )
}
console.log(JSON.stringify({ before, after: await quietCount(leftovers) }))

async function run(code: string): Promise<string> {
  const { status, output } = await executor.execute([{ language: 'python', code }])
  if (status !== 'ok') throw new Error(`${status}: ${output}`)
  return output
}

function leftovers() {
  return {
    descriptors: openDescriptors().size,
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
