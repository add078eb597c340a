import { FencedError } from '@fenced/core'
import type { KernelDeath } from './kernel.ts'

export function startFailed({ how, data }: KernelDeath): FencedError {
  return new FencedError({
    code: 'KERNEL_START_FAILED',
    message: `The kernel did not start: it ${how}`,
    data,
  })
}

export function answerLost(): FencedError {
  return new FencedError({
    code: 'KERNEL_ANSWER_LOST',
    message:
      'The connection to the Jupyter server was lost and restored, but the reply to the block was lost. It is unknown whether the block ran. Call restart() to continue with a new, empty kernel.',
  })
}
