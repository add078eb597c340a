import { expect, it } from 'vitest'
import { createMessage, type Message, textOf } from './message.ts'
import { NamedMessages } from './named-messages.ts'

const says = (source: string, content: string) =>
  createMessage({ role: 'user', source, origin: 'model', content })

it('names speakers from the second one on, also above what was said before', () => {
  const named = new NamedMessages('me')
  const messages: Message[] = [says('a', '1')]
  expect(named.of(messages).map(textOf)).toEqual(['1'])
  messages.push(says('me', '2'), says('b', '3'))
  expect(named.of(messages).map(textOf)).toEqual(['a:\n1', '2', 'b:\n3'])
  messages.push(says('a', '4'))
  expect(named.of(messages).map(textOf)).toEqual(['a:\n1', '2', 'b:\n3', 'a:\n4'])
})

it('begins anew where messages were removed or replaced', () => {
  const named = new NamedMessages()
  const messages = [says('a', '1'), says('b', '2'), says('b', '3')]
  named.of(messages)
  expect(named.of(messages.slice(1)).map(textOf)).toEqual(['2', '3'])
  expect(named.of([says('c', '0'), ...messages]).map(textOf)).toEqual(['c:\n0', 'a:\n1', 'b:\n2', 'b:\n3'])
})

it('reads each message once, however often it is asked', () => {
  let reads = 0
  const counted = (source: string): Message =>
    Object.defineProperty(says(source, 'x'), 'content', {
      enumerable: true,
      get: () => {
        reads += 1
        return 'x'
      },
    })
  const named = new NamedMessages()
  const messages = [counted('a'), counted('b')]
  named.of(messages)
  const perMessage = reads / messages.length
  for (let turn = 0; turn < 100; turn++) {
    messages.push(counted('a'))
    expect(named.of(messages)).toHaveLength(messages.length)
  }
  expect(reads).toBe(perMessage * messages.length)
})
