// Runs a block, which may be given, and ends without stopping the executor.
import { DockerCommandLineCodeExecutor } from '../../src/index.ts'

const [options = '', language = 'sh', code = 'true'] = process.argv.slice(2)
const executor = new DockerCommandLineCodeExecutor(JSON.parse(options))
await executor.execute([{ language, code }])
