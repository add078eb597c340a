import { expect, test } from 'vitest'
import { everyRow } from './every-row.ts'

const isEven = (number: number) => expect(number % 2, `${number} is odd`).toBe(0)

test('a table passes when every row passes', async () => {
  const seen: unknown[] = []
  await everyRow([2, 4], (number) => seen.push(number))
  await everyRow([['a', 1] as const, ['b', 2] as const], async (name, number) => seen.push(name, number))
  expect(seen).toEqual([2, 4, 'a', 1, 'b', 2])
})

test('a row that fails is named, with its message and its error', async () => {
  const error = await failureOf(everyRow([2, 3, 4], isEven))
  const message = 'row 2 of 3, 3: 3 is odd: expected 1 to be +0 // Object.is equality'
  expect(error.message).toBe(`1 of 3 rows failed:\n${message}`)
  expect(error.errors).toMatchObject([{ name: 'AssertionError', message, actual: 1, expected: 0 }])
})

test('every row that fails is named, and the rows behind it are tried', async () => {
  const error = await failureOf(
    everyRow(
      [
        ['first', 1],
        ['second', 2],
        ['third', 3],
      ] as const,
      async (name, number) => {
        if (number !== 2) throw new Error(`${name} fails`)
      },
    ),
  )
  expect(error.message.split('\n')).toEqual([
    '2 of 3 rows failed:',
    "row 1 of 3, [ 'first', 1 ]: first fails",
    "row 3 of 3, [ 'third', 3 ]: third fails",
  ])
  expect(error.errors).toHaveLength(2)
})

test('a thrown value that is not an error is printed', async () => {
  const error = await failureOf(everyRow([1], () => Promise.reject({ code: 'X' })))
  expect(error.message).toBe("1 of 1 rows failed:\nrow 1 of 1, 1: { code: 'X' }")
})

test('a long row has a short name', async () => {
  const error = await failureOf(everyRow(['a\n'.repeat(1000)], () => Promise.reject(new Error('fails'))))
  expect(error.message.split('\n')).toHaveLength(2)
  expect(error.message.length).toBeLessThan(300)
})

test('a table without rows fails', async () => {
  await expect(everyRow([], () => {})).rejects.toThrow('The table has no rows')
})

test('tests have it in their context', ({ everyRow: inContext }) => expect(inContext).toBe(everyRow))

async function failureOf(table: Promise<void>): Promise<AggregateError> {
  return table.then(
    () => expect.unreachable('Each row has passed.'),
    (error: AggregateError) => error,
  )
}
