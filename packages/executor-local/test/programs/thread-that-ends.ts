// Runs a program in a worker thread, says when it has written or ended, and ends the thread when it is asked to.
import { parentPort, workerData } from 'node:worker_threads'
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const executor = new LocalCommandLineCodeExecutor({ isolation: workerData.isolation, timeoutMs: 120_000 })
parentPort?.once('message', () => process.exit(0))
for await (const event of executor.execute([{ language: 'sh', code: workerData.code }])) {
  if (event.type === 'stdout') parentPort?.postMessage('started')
}
parentPort?.postMessage('ended')
