// Starts an installation, and waits to be killed.
import { DockerCommandLineCodeExecutor } from '../../src/index.ts'

const [options = '{}'] = process.argv.slice(2)
await new DockerCommandLineCodeExecutor(JSON.parse(options)).start()
