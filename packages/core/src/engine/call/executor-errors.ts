import { FencedError } from '@fenced/errors'

export function notConfigurable(name: string): FencedError {
  return new FencedError({
    code: 'NOT_CONFIGURABLE',
    message: `The executor "${name}" has no config: its class passes no \`configuration\` to DriverExecutor. Leave it out of the config, and pass it again when you load the config.`,
    data: { executor: name },
  })
}

export function stoppedWhileStarting(): FencedError {
  return new FencedError({
    code: 'EXECUTOR_STOPPED',
    message: 'The executor was stopped while it was starting.',
  })
}

export function notRunningError(name: string): FencedError {
  return new FencedError({
    code: 'EXECUTOR_STOPPED',
    message: `The executor "${name}" was stopped. Call start() to use it again.`,
    data: { executor: name },
  })
}

export function diedError(name: string): FencedError {
  return new FencedError({
    code: 'EXECUTOR_DIED',
    message: `The executor "${name}" died and its state is lost. Call restart() to continue with a new, empty state.`,
    data: { executor: name },
  })
}

export function startTimeout(name: string, timeoutMs: number): FencedError {
  return new FencedError({
    code: 'START_TIMEOUT',
    message: `The executor "${name}" did not start within ${timeoutMs} ms. Nothing was run. Find out what is hanging, or raise \`startTimeoutMs\` where the executor is defined.`,
    data: { executor: name, limitMs: `${timeoutMs}` },
  })
}

export function stopTimeout(name: string, timeoutMs: number): FencedError {
  return new FencedError({
    code: 'DRIVER_FAILED',
    message: `The driver of the executor "${name}" did not stop within ${timeoutMs} ms. Its processes may still be running. Call stop() to try again.`,
    data: { executor: name, limitMs: `${timeoutMs}` },
  })
}
