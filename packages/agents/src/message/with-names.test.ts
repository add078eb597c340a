import { expect, it } from 'vitest'
import { createMessage, textOf } from './message.ts'
import { withNames } from './sent-and-received.ts'

const says = (source: string, content: string) =>
  createMessage({ role: 'user', source, origin: 'model', content })

it('names the speakers that a model hears, where there are several', () => {
  const [one, own, other] = [says('a', '1'), says('me', '2'), says('b', '3')]
  const named = (...messages: Parameters<typeof withNames>[0]) => withNames(messages, 'me').map(textOf)
  expect(named(one, own)).toEqual(['1', '2'])
  expect(named(one, own, other)).toEqual(['a:\n1', '2', 'b:\n3'])
  expect(withNames([one, own, other], 'me').map(({ id }) => id)).toEqual(
    [one, own, other].map(({ id }) => id),
  )
})
