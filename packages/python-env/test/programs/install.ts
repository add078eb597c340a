import { installWithPip } from '../../src/install/pip.ts'

// Nothing can be installed: what is to be seen is what was run.
const request = { packages: ['fenced-attack'], installEnv: { PIP_NO_INDEX: '1' }, installTimeoutMs: 60_000 }
await installWithPip(process.argv[2] ?? '', request, {}).catch(() => {})
