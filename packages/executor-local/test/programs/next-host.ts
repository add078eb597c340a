// Starts an executor and stops it.
import { LocalCommandLineCodeExecutor } from '../../src/index.ts'

const executor = new LocalCommandLineCodeExecutor()
await executor.start()
await executor.stop()
