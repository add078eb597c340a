// Starts a kernel without a server in a worker thread, says how that went, and throws.
import { parentPort } from 'node:worker_threads'
import { JupyterCodeExecutor } from '../../src/index.ts'

const answer = await new JupyterCodeExecutor()
  .execute([{ language: 'python', code: '1' }])
  .catch(({ code }) => code)
parentPort?.postMessage(answer)
throw new Error('The thread ends.')
