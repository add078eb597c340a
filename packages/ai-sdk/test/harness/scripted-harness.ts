import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HARNESS_V1_BUILTIN_TOOLS as commonTools } from '@ai-sdk/harness'
import { createACP } from '@ai-sdk/harness-acp'
import { withoutRegistry } from './without-registry.ts'

const agent = {
  path: 'scripted-agent.mjs',
  content: readFileSync(join(import.meta.dirname, 'scripted-agent.mjs'), 'utf8'),
}

/** The AI SDK's harness for any agent of the Agent Client Protocol, with ours, which asks no model. */
export const scriptedHarness = withoutRegistry(
  createACP({
    harnessId: 'scripted',
    source: {
      type: 'install-command',
      command: `install -m 755 ${agent.path} "$HOME/.local/bin/scripted-agent"`,
    },
    executable: 'scripted-agent',
    builtinTools: { write: commonTools.write, bash: commonTools.bash },
    modelMapping: { type: 'session-model', path: 'modelId' },
  }),
  agent,
)
