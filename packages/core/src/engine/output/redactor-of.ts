import type { CodeExecutor } from '../../code-executor.ts'
import type { Redactor } from './redactor.ts'

/** Key of a method of an executor that redacts. Other installed copies of this package find it. */
export const newRedactor: unique symbol = Symbol.for('fenced.newRedactor') as never

/** An executor that can redact other output than that of its blocks. */
export interface RedactingExecutor {
  [newRedactor](): Redactor | undefined
}

/** Returns a redactor for one stream of a process in an executor's sandbox; `undefined` if the executor redacts nothing. */
export function redactorOf(executor: CodeExecutor): Pick<Redactor, 'push' | 'end'> | undefined {
  return (executor as Partial<RedactingExecutor>)[newRedactor]?.()
}
