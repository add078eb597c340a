// Runs executors in bubblewrap, one after the other, and prints how many descriptors they left.
import { openDescriptors, quietCount } from '@fenced/testing'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const options = JSON.parse(process.argv[2] ?? '{}')
const count = () => openDescriptors().size

async function run(): Promise<void> {
  await using executor = new LocalCommandLineCodeExecutor({ ...options, isolation: 'bubblewrap' })
  const { status } = await executor.execute([{ language: 'python', code: 'print(1)' }])
  if (status !== 'ok') throw new Error(status)
}

// Whatever is opened once is not the executors'.
for (let round = 0; round < 2; round++) await run()
const before = await quietCount(count, 300)
for (let round = 0; round < 4; round++) await run()
console.log((await quietCount(count, 300)) - before)
