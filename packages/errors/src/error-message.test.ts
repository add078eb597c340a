import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { errorMessage, reasonIn } from './error-message.ts'

it('says what went wrong, whatever was thrown', ({ everyRow }) =>
  everyRow<[what: string, thrown: unknown, message: string]>(
    [
      ['an error', new Error('No space left.'), 'No space left.'],
      ['an error without a message', new RangeError(), 'RangeError'],
      ['an error of another realm', runInNewContext('new TypeError("Not a number.")'), 'Not a number.'],
      ['an object like an error', { message: 'No space left.' }, 'No space left.'],
      [
        'several errors',
        new AggregateError([new Error('No route'), new Error('No host')]),
        'No route, No host',
      ],
      ['a text', 'No space left.', 'No space left.'],
      ['an object', { code: 7 }, '{"code":7}'],
      ['a number', 7n, '7'],
      ['nothing', undefined, 'an unknown error'],
      ['an empty text', '', 'an unknown error'],
      ['an object without a prototype', Object.create(null), '{}'],
      ['an object that JSON cannot carry', { amount: 1n }, 'an unknown error'],
      [
        'an object whose message throws',
        {
          get message() {
            throw new Error('Again.')
          },
        },
        'an unknown error',
      ],
    ],
    (_, thrown, message) => {
      expect(errorMessage(thrown)).toBe(message)
    },
  ))

it('quotes a text of another program within a sentence', ({ everyRow }) =>
  everyRow<[text: string, reason: string]>(
    [
      ['No space left.\n', 'No space left'],
      ['Welcome!', 'Welcome'],
      ['pull failed:', 'pull failed'],
      ['python ended with exit code 3.', 'python ended with exit code 3'],
      ['the first line\nthe second line', 'the first line\nthe second line'],
      ['Traceback (most recent call last):\n  File "a.py", line 1\nOSError: in use.\n', 'OSError: in use'],
      ['', ''],
    ],
    (text, reason) => expect(reasonIn(text)).toBe(reason),
  ))
