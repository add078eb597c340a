// Runs a block and ends without stopping the executor.
import { DockerCommandLineCodeExecutor } from '../../src/index.ts'

const executor = new DockerCommandLineCodeExecutor(JSON.parse(process.argv[2] ?? ''))
await executor.execute([{ language: 'sh', code: 'true' }])
