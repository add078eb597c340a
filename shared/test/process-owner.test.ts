import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { formatOwner, isOwnerGone, parseOwner, thisOwner } from '../src/process-owner.ts'

it('this process is there', () => {
  expect(isOwnerGone(thisOwner())).toBe(false)
})

it('a process that ended is gone', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  expect(isOwnerGone({ ...thisOwner(), processId: child.pid ?? 0 })).toBe(true)
})

it.runIf(process.platform === 'linux')(
  'another process with the number of an earlier one is not the same',
  () => {
    expect(isOwnerGone({ ...thisOwner(), processStart: 'an earlier start' })).toBe(true)
  },
)

it('without a known start, a process that is there counts as the one', () => {
  expect(isOwnerGone({ ...thisOwner(), processStart: '' })).toBe(false)
})

it('nothing is known of the processes of another machine, user or process table', () => {
  expect(isOwnerGone({ realm: 'elsewhere', processId: 2 ** 30, processStart: '1' })).toBe(false)
})

it('is the same after it was written and read', () => {
  expect(parseOwner(formatOwner(thisOwner()))).toEqual(thisOwner())
  const withoutStart = { ...thisOwner(), processStart: '' }
  expect(parseOwner(formatOwner(withoutStart))).toEqual(withoutStart)
})

it.each(['', 'realm.1', `${'a'.repeat(32)}.0`, `${'a'.repeat(32)}.1.b`, `${'a'.repeat(32)}.1.b.2.3`])(
  'nothing else is read: %o',
  (text) => {
    expect(parseOwner(text)).toBeUndefined()
  },
)
