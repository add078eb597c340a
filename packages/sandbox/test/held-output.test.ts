import { expect, it } from 'vitest'
import { HeldOutput } from '../src/terminal/held-output.ts'

const bytes = (text: string) => Buffer.from(text)

it('passes output on once the terminal has started, in order, and waits for the sink', async () => {
  const seen: string[] = []
  const first = Promise.withResolvers<void>()
  const held = new HeldOutput((_, chunk) => {
    seen.push(`${Buffer.from(chunk)}`)
    return seen.length === 1 ? first.promise : undefined
  })
  const reused = bytes('a')
  // The stream continues: the line that says that the terminal has started comes on the other one.
  expect(held.take('stdout', reused)).toBeUndefined()
  reused.fill(0)
  expect(held.take('stdout', bytes('b'))).toBeUndefined()
  expect(seen).toEqual([])
  const released = held.release()
  const third = held.take('stdout', bytes('c'))
  expect(seen).toEqual(['a'])
  first.resolve()
  await Promise.all([released, third])
  expect(seen).toEqual(['a', 'b', 'c'])
  expect(held.take('stdout', bytes('d'))).toBeUndefined()
  expect(seen).toEqual(['a', 'b', 'c', 'd'])
})

it('holds the program up after a mebibyte, and rejects with the error of the sink', async () => {
  const error = new Error('no room')
  const held = new HeldOutput(() => Promise.reject(error))
  const waiting = held.take('stdout', Buffer.alloc(1_048_577))
  expect(waiting).toBeInstanceOf(Promise)
  await expect(held.release()).rejects.toBe(error)
  await waiting
  await expect(held.take('stdout', bytes('x'))).rejects.toBe(error)
})
