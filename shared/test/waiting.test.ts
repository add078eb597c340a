import { MessageChannel } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { afterGrace, Quiet } from '../src/index.ts'

/** As a machine that is busy or rests: no timer and no message is handled. */
function rest(timeMs: number): void {
  for (const endsAt = performance.now() + timeMs; performance.now() < endsAt; );
}

it('a pause takes a quarter of a grace period at most', async () => {
  const order: string[] = []
  const late = Promise.withResolvers<void>()
  using _ = afterGrace(400, () => {
    order.push('late')
    late.resolve()
  })
  rest(500)
  // All of the period has passed, and three quarters of it are left.
  setTimeout(() => order.push('timer'), 150)
  await late.promise
  expect(order).toEqual(['timer', 'late'])
})

it('what arrived during a pause is heard before it is quiet', async () => {
  const order: string[] = []
  const quietAgain = Promise.withResolvers<void>()
  const { port1, port2 } = new MessageChannel()
  using quiet = new Quiet(50, () => {
    order.push('quiet')
    quietAgain.resolve()
  })
  port1.on('message', () => {
    order.push('heard')
    quiet.heard()
  })
  quiet.heard()
  port2.postMessage('')
  rest(100)
  await quietAgain.promise
  port1.close()
  expect(order).toEqual(['heard', 'quiet'])
})
