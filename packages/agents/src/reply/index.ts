// Reply functions, and what custom ones and other views of a conversation share with them.

export type { Agent, ReplyContext, ReplyFunction } from '../agent/agent.ts'
export { codeReply } from '../running/result-text.ts'
export { runCode } from '../running/run-program.ts'
export { checkTerminationAndHumanReply } from './check-termination-and-human-reply.ts'
export { generateCodeExecutionReply } from './generate-code-execution-reply.ts'
export { generateModelReply } from './generate-model-reply.ts'
export { generateToolCallsReply } from './generate-tool-calls-reply.ts'
