import { expect, it } from 'vitest'
import { hunksOf, repairOf } from '../page/src/changes.ts'
import { readTable } from '../page/src/csv.ts'
import { limitTexts } from '../page/src/limit-texts.ts'

it.each([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b;c\r\n1;2,5;3',
    [
      ['a', 'b', 'c'],
      ['1', '2,5', '3'],
    ],
  ],
  [
    'a\tb\n"x\ty"\tz',
    [
      ['a', 'b'],
      ['x\ty', 'z'],
    ],
  ],
  [
    '"a, ""quoted""",b\n"two\nlines",\n',
    [
      ['a, "quoted"', 'b'],
      ['two\nlines', ''],
    ],
  ],
  ['one', [['one']]],
  ['', []],
])('the table of %j has its fields', (text, rows) => {
  expect(readTable(text)).toEqual({ rows, isCut: false })
})

it('a table is cut at 200 rows and 50 columns, and reads a broken file to its end', () => {
  const long = readTable('a,b\n'.repeat(500))
  expect([long.rows.length, long.isCut]).toEqual([200, true])
  const wide = readTable(`${Array.from({ length: 60 }, (_, index) => index).join(',')}\n`)
  expect([wide.rows[0]?.length, wide.isCut]).toEqual([50, true])
  expect(readTable('a "quote" within,b\nc,"open').rows.at(0)).toEqual(['a "quote" within', 'b'])
})

const program = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n')

it('a repair is shown by its changes where most of the program is the same', () => {
  const repaired = program.replace('line 9', 'line nine')
  const hunks = repairOf(program, repaired)
  expect(hunks?.flatMap(({ lines }) => lines).filter((line) => !line.startsWith(' '))).toEqual([
    '-line 9',
    '+line nine',
  ])
  expect(hunks).toEqual(hunksOf(program, repaired))
})

it('a program is shown whole where it is short, the same, or mostly new', () => {
  expect(repairOf('a\nb', 'a\nc')).toBeUndefined()
  expect(repairOf(program, program)).toBeUndefined()
  expect(repairOf(program, program.replaceAll('line', 'row'))).toBeUndefined()
})

it('limits have words, and a missing limit is said', () => {
  const particulars = { memoryBytes: 512_000_000, pids: false, timeoutMs: 60_000, ports: '443', env: 'TOKEN' }
  expect(limitTexts(particulars)).toEqual([
    'memory 512.0 MB',
    'processes not limited',
    'time of each program 60 s',
    'environment variables TOKEN',
  ])
  expect(limitTexts({}, { memory: false, processes: true })).toEqual(['no guaranteed limit of memory'])
})
