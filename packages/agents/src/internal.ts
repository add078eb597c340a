// No promises: only for the packages of Fenced. What is here changes and goes without notice, in any version.

export { codeWriterMessage } from './agent/code-writer-system-message.ts'
export { contentWith } from './message/message.ts'
export { describeFailure } from './model/describe-failure.ts'
export { toModelMessages } from './model/to-model-messages.ts'
export { codeBlocksOf } from './reply/code-blocks-of.ts'
export { codeReply } from './reply/generate-code-execution-reply.ts'
export { runCode } from './running/run-code.ts'
