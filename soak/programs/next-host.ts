// Starts an executor as the next process on a machine does, runs a block, and prints how it ended.
import { executorNamed } from '../executors.ts'

const { subject, setup } = JSON.parse(process.argv[2] ?? '')
await using stack = new AsyncDisposableStack()
const executor = stack.use(await executorNamed(subject).make(setup, stack))
const { status } = await executor.execute([{ language: 'python', code: 'print(1)' }])
console.log(JSON.stringify(status))
