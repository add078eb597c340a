// Gives this process, and the ones that it starts with `inOwnRealm`, a machine name of their own: other executors then
// leave its containers alone when it is killed, and it leaves theirs alone.
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import process from 'node:process'

const name = process.env.FENCED_TEST_REALM ?? `fenced-test-${process.pid}-${Date.now()}`
process.env.FENCED_TEST_REALM = name
os.hostname = () => name
syncBuiltinESMExports()

/** Arguments for Node. */
export const inOwnRealm = [`--import=${import.meta.filename}`]
