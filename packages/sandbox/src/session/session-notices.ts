import type { Notice } from '@fenced/core'
import type { SessionLoss } from './session-process.ts'

/** The cell was interrupted in time. */
export const kept: Notice = {
  code: 'state-kept',
  message: 'The cell was interrupted. Python keeps running, and variables are kept.',
}

/** A new process would differ from the session. */
export const keptOutdated: Notice = {
  code: 'state-kept',
  message:
    'The user, umask or limits of the process that started the session have changed. Python keeps running with its earlier settings, and variables are kept. Call restart() to continue with a new, empty Python that has the current settings.',
}

/** A program ended the helper that brings the connections of the session. */
export const keptWithoutNetwork: Notice = {
  code: 'state-kept',
  message:
    'The helper for the network of the session has ended, so the session has no network any longer. Python keeps running, and variables are kept. Call restart() to continue with a new, empty Python that has a network.',
}

/** The block ended Python. */
export function lostWith({ how, data }: SessionLoss): Notice {
  return {
    code: 'state-lost',
    message: `Python ${how}. All variables are lost; the next block gets a new, empty Python.`,
    data,
  }
}

/** Python ended before the block. */
export function lostBefore({ how, data }: SessionLoss): Notice {
  return {
    code: 'state-lost',
    message: `Python ${how} after the last block. All variables are lost. This block runs in a new, empty Python.`,
    data,
  }
}

/** The working directory was removed while the session was in it. */
export function keptMoved(path: string): Notice {
  return {
    code: 'state-kept',
    message: `The directory that Python was in had been removed. The block ran in the working directory ${path}, and variables are kept.`,
    data: { path },
  }
}

/** Processes that a cell leaves running. */
export function stillRunning(commands: readonly string[]): Notice {
  const list = commands.map((command) => `\`${command}\``).join(', ')
  return {
    code: 'still-running',
    message: `Processes that the block started are still running: ${list}. They run until the session ends. Stop them if they are not needed.`,
    data: { commands: commands.join('\n') },
  }
}
