// No promises: only for the packages of Fenced. What is here changes and goes without notice, in any version.

export { codeWriterMessage } from './agent/code-instructions.ts'
export { contentWith } from './message/message.ts'
export { cutAnswer } from './model/cut-answer.ts'
export { describeFailure, withoutSecrets } from './model/model-errors.ts'
export { toModelMessages } from './model/to-model-messages.ts'
export { codeReply } from './reply/generate-code-execution-reply.ts'
export { blocksIn, codeBlocksOf } from './running/code-blocks.ts'
export { runCode } from './running/run-code.ts'
