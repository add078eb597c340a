// Every name of the AI SDK that this example uses. They are experimental: a new version is a change here.

import type { HarnessV1NetworkSandboxSession } from '@ai-sdk/harness'

export type {
  HarnessV1 as Harness,
  HarnessV1Bootstrap as Bootstrap,
  HarnessV1NetworkSandboxSession as NetworkSession,
  HarnessV1SandboxProvider as SandboxProvider,
} from '@ai-sdk/harness'
export { HARNESS_V1_BUILTIN_TOOLS as commonTools } from '@ai-sdk/harness'
export { HarnessAgent } from '@ai-sdk/harness/agent'
export { createACP } from '@ai-sdk/harness-acp'

/** Files and processes, without what would stop the sandbox. */
export type Session = ReturnType<HarnessV1NetworkSandboxSession['restricted']>
export type Process = Awaited<ReturnType<Session['spawn']>>
