import type { Notice } from '@fenced/core'
import type { StartContext } from '@fenced/core/driver'
import { raceAbort } from '@fenced/shared'
import type { CellIo } from './cell-output.ts'
import type { KernelClient } from './kernel-client.ts'
import { startFailed } from './kernel-error.ts'
import { type StepsOff, stepsOff, tellRunning } from './setup-code.ts'

/** A version of ipykernel that supports all steps. */
const complete = '7.4'

/** What a cell of ours does with its output. */
export const ignored: CellIo = {
  write: () => {},
  result: () => {},
  clear: () => {},
  notice: () => {},
  ended: () => {},
}

/** Runs the setup of a new kernel, and reports the steps that the kernel does not support. Rejects when the kernel cannot be used. */
export async function setUpKernel(kernel: KernelClient, setup: string, context: StartContext): Promise<void> {
  const { signal, notice } = context
  const end = await raceAbort(kernel.run(setup, ignored, { silent: true, isExpression: true }), signal)
  if (end === 'aborted') throw signal.reason
  if (end.kind === 'lost') throw end.error
  if (end.kind === 'died') throw startFailed(end)
  const off = stepsOff(end.value)
  kernel.tellsRunning = off !== undefined && !off.steps.some(({ name }) => name === tellRunning)
  if (off === undefined || off.steps.length > 0) notice(stepOffNotice(off))
}

function stepOffNotice(off: StepsOff | undefined): Notice {
  const steps = off?.steps ?? []
  const names = steps.map(({ name }) => name).join(', ') || 'all'
  const version = off?.version ?? ''
  const kernel = version === '' ? 'The kernel is not ipykernel' : `The kernel has ipykernel ${version}`
  const reasons = steps.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
  return {
    code: 'kernel-step-off',
    message: `${kernel}, which does not support some of the changes that Fenced makes to a Python kernel. Skipped: ${names}. ipykernel ${complete} was tested with all of them.`,
    data: {
      steps: names,
      ...(version === '' ? {} : { version }),
      ...(reasons === '' ? {} : { reason: reasons }),
    },
  }
}
