export type { FencedErrorCode, ForeignCode, NoticeCode } from './codes.ts'
export { errorMessage, errorsIn, reasonIn } from './error-message.ts'
// Not by name: `@fenced/core` adds members to `PartialResult`.
export * from './fenced-error.ts'
export { saysLoss } from './losses.ts'
