// Keeps a session, and waits to be killed. Arguments: the mark of its processes, and options.
import { runSessionHost } from '@fenced/testing'
import { KubernetesCommandLineCodeExecutor } from '../../src/index.ts'

const [mark = '', options = '{}'] = process.argv.slice(2)
await runSessionHost(new KubernetesCommandLineCodeExecutor({ ...JSON.parse(options), stateful: true }), mark)
