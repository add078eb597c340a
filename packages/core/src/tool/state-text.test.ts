import { expect, it } from 'vitest'
import { stateText } from './state-text.ts'

it.each([
  [['python', 'sh'], [], /separate process: it shares no variables/, /persist/],
  [['bash', 'sh'], ['bash', 'sh'], /^Variables, imports, functions and files persist/, /separate process/],
  // A kernel without the second language of its table.
  [['python'], ['python', 'r'], /^Variables, imports, functions and files persist/, /separate process/],
  [
    ['python', 'sh'],
    ['python'],
    /between python programs\. .*another language .*separate process/,
    /between programs/,
  ],
])('of %j, %j keep their variables', (languages, stateful, said, notSaid) => {
  const text = stateText({ languages, stateful })
  expect(text).toMatch(said)
  expect(text).not.toMatch(notSaid)
})
