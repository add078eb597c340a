import { registerExecutor } from '@fenced/core/driver'
import { JupyterCodeExecutor } from './jupyter-code-executor.ts'

registerExecutor('jupyter', (options) => new JupyterCodeExecutor(options))
// AutoGen's name for a kernel without a server.
registerExecutor('ipython-embedded', (options) => new JupyterCodeExecutor(options))
