// The worker thread has its own executor, and stops the executor before the thread ends.
import { parentPort, workerData } from 'node:worker_threads'
import { extractCodeBlocks, LocalCommandLineCodeExecutor } from '@fenced/executor-local'

const executor = new LocalCommandLineCodeExecutor({ isolation: 'bubblewrap', timeoutMs: 10_000 })
try {
  for await (const event of executor.execute(extractCodeBlocks(workerData))) {
    if (event.type === 'stdout' || event.type === 'stderr') parentPort?.postMessage(event.text)
  }
} finally {
  await executor.stop()
}
