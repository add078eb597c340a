// Runs code blocks in a worker thread, and prints their output while they run.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const workerData = '~~~python\nprint(6 * 7)\n~~~\n\n~~~sh\necho done\n~~~'
const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData })
worker.on('message', (text: string) => process.stdout.write(text))
await once(worker, 'exit')
