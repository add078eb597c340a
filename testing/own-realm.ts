// Gives a process, and its children with `inOwnRealm`, a separate machine name. Its executors and those of other processes then do not
// remove each other's containers.
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import process from 'node:process'

/** Arguments for Node. */
export const inOwnRealm = [`--import=${import.meta.filename}`]

const { hostname } = os

export function enterOwnRealm(): void {
  const name = process.env.FENCED_TEST_REALM ?? `fenced-test-${process.pid}-${Date.now()}`
  process.env.FENCED_TEST_REALM = name
  callThisMachine(() => name)
}

/** Test files that come later in this process take the locks of programs that they start for those of another machine otherwise. */
export function leaveOwnRealm(): void {
  delete process.env.FENCED_TEST_REALM
  callThisMachine(hostname)
}

function callThisMachine(name: () => string): void {
  os.hostname = name
  syncBuiltinESMExports()
}

if (process.execArgv.some((argument) => inOwnRealm.includes(argument))) enterOwnRealm()
