import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { microtasks } from '../../microtasks.fixture.ts'
import type { StreamName } from '../../sandbox/sandbox-process.ts'
import { BlockOutput } from './block-output.ts'

type Write = readonly [stream: StreamName, bytes: Uint8Array]

interface Told {
  stream: StreamName
  text: string
}

function blockOutput({ maxOutputBytes = 1000, redact = [] as string[] } = {}) {
  const told: Told[] = []
  let limitCount = 0
  const output = new BlockOutput({
    maxOutputBytes,
    redact,
    onOutput: (stream, bytes) => void told.push({ stream, text: Buffer.from(bytes).toString() }),
    onLimit: () => void limitCount++,
  })
  return { output, told, limitCount: () => limitCount }
}

function run(writes: readonly Write[], options?: { maxOutputBytes?: number; redact?: string[] }) {
  const { output, told, limitCount } = blockOutput(options)
  for (const [stream, bytes] of writes) void output.write(stream, bytes)
  output.end()
  const toldOn = (stream: StreamName) =>
    told
      .filter((one) => one.stream === stream)
      .map(({ text }) => text)
      .join('')
  return { ...output.summary(), told, toldOn, limitCount: limitCount() }
}

const out = (bytes: string | number[]): Write => ['stdout', Buffer.from(bytes as string)]
const err = (bytes: string | number[]): Write => ['stderr', Buffer.from(bytes as string)]
const [e2, x82, ac] = Buffer.from('€') as unknown as [number, number, number]

describe('decoding', () => {
  test('keeps characters whole, and replaces invalid bytes', ({ everyRow }) =>
    everyRow<[what: string, writes: Write[], output: string]>(
      [
        ['a character cut by a chunk border', [out([e2]), out([x82, ac])], '€'],
        ['a character in three chunks', [out([e2]), out([x82]), out([ac])], '€'],
        ['a character of four bytes, byte by byte', [...Buffer.from('😀')].map((byte) => out([byte])), '😀'],
        [
          'half a character on one stream while the other speaks',
          [out([0x61, e2, x82]), err('b'), out([ac])],
          'ab€',
        ],
        ['half a character on both streams', [out([e2]), err([e2]), out([x82, ac]), err([x82, ac])], '€€'],
        ['the halves of a character on two streams', [out([e2, x82]), err([ac])], '\uFFFD\uFFFD'],
        ['bytes that are no UTF-8', [out([0x61, 0xff, 0xfe, 0x62])], 'a\uFFFD\uFFFDb'],
        ['a first byte with nothing behind it', [out([e2]), out('a')], '\uFFFDa'],
        ['half a character at the end', [out([0x61, e2, x82])], 'a\uFFFD'],
        [
          'an overlong and a surrogate form',
          [out([0xc0, 0x80]), out([0xed, 0xa0, 0x80])],
          '\uFFFD'.repeat(5),
        ],
        ['a byte order mark, which is kept', [out([0xef, 0xbb, 0xbf, 0x61])], '\uFEFFa'],
        ['a byte order mark in the middle', [out('a'), out([0xef, 0xbb, 0xbf])], 'a\uFEFF'],
        ['nothing', [out('')], ''],
        ['NUL and control characters, as they are', [out([0, 7, 27])], '\u0000\u0007\u001B'],
      ],
      (_, writes, output) => {
        for (const redact of [[], ['secret']]) expect(run(writes, { redact }).output).toBe(output)
      },
    ))

  test('any bytes, in any chunks, give what one decoder gives for each stream', () => {
    const write = fc.tuple(
      fc.constantFrom<StreamName>('stdout', 'stderr'),
      fc.uint8Array({ maxLength: 6, max: 255 }),
    )
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), fc.boolean(), (writes, withSecrets) => {
        const result = run(writes, { redact: withSecrets ? ['secret'] : [] })
        for (const stream of ['stdout', 'stderr'] as const) {
          const bytes = Buffer.concat(writes.filter(([name]) => name === stream).map(([, chunk]) => chunk))
          expect(result[stream]).toBe(bytes.toString())
          expect(result.toldOn(stream)).toBe(bytes.toString())
        }
      }),
    )
  })

  test('two streams of whole text, in any chunks and any order, are not mixed within a character', () => {
    const pieces = (stream: StreamName) =>
      fc
        .string({ unit: fc.constantFrom('a', 'é', '€', '😀'), maxLength: 12 })
        .map((text) => [...Buffer.from(text)].map((byte) => [stream, byte] as const))
    const interleaved = fc
      .tuple(pieces('stdout'), pieces('stderr'), fc.infiniteStream(fc.boolean()))
      .map(([a, b, coin]) => {
        const [left, right] = [[...a], [...b]]
        return Array.from({ length: a.length + b.length }, () =>
          coin.next().value ? (left.shift() ?? right.shift()) : (right.shift() ?? left.shift()),
        )
      })
    fc.assert(
      fc.property(interleaved, (bytes) => {
        const result = run(
          bytes.flatMap((one) => (one === undefined ? [] : [[one[0], Buffer.from([one[1]])] as const])),
        )
        expect(result.output).not.toContain('\uFFFD')
        expect(result.output).toBe(result.told.map(({ text }) => text).join(''))
        expect([...result.output].toSorted()).toEqual([...result.stdout, ...result.stderr].toSorted())
      }),
    )
  })

  test("a writer may use its chunk's memory again", () => {
    const { output } = blockOutput()
    const chunk = Buffer.from([0x61, e2])
    void output.write('stdout', chunk)
    chunk.set([x82, ac])
    void output.write('stdout', chunk)
    output.end()
    expect(output.summary().stdout).toBe('a€')
  })
})

test('a clear also forgets the beginning of a possible secret', () => {
  const { output } = blockOutput({ redact: ['secret'] })
  void output.write('stdout', Buffer.from('old sec'))
  output.clear()
  void output.write('stdout', Buffer.from('new'))
  output.end()
  expect(output.summary().output).toBe('new')
})

describe('limits', () => {
  test('a flood on one stream keeps the other whole', () => {
    const result = run(
      [err('Traceback\n'), ...Array<Write>(100).fill(out('flood flood\n')), err('Error: reason\n')],
      { maxOutputBytes: 60 },
    )
    expect(result.stderr).toBe('Traceback\nError: reason\n')
    expect(result.droppedBytes).toMatchObject({ stdout: 1200 - 60, stderr: 0 })
    expect(result.output.startsWith('Traceback\n')).toBe(true)
    expect(result.output.endsWith('Error: reason\n')).toBe(true)
  })

  test('what was dropped stays among what was told live', () => {
    const result = run(Array<Write>(10).fill(out('0123456789')), { maxOutputBytes: 20 })
    expect(result.toldOn('stdout')).toBe('0123456789'.repeat(10))
  })

  test.each<[what: string, writes: Write[], count: number]>([
    ['not while the stream fits exactly', [out('0123456789')], 0],
    ['once, for the first byte too many', [out('0123456789'), out('x')], 1],
    [
      'once, however long it goes on and on which stream',
      [out('0123456789ab'), out('c'), err('0123456789ab')],
      1,
    ],
    ['not when the streams fit and only both together do not', [out('01234567'), err('01234567')], 0],
    ['once, when the limit is passed only at the end', [out('012345678'), out([e2, x82])], 1],
  ])('the limit is reported %s', (_, writes, count) => {
    expect(run(writes, { maxOutputBytes: 10 }).limitCount).toBe(count)
  })
})

describe('a line of our own', () => {
  test.each<[before: string, output: string]>([
    ['', 'line\n'],
    ['text', 'text\nline\n'],
    ['text\n', 'text\nline\n'],
    ['text\r\n', 'text\r\nline\n'],
  ])('begins on a line of its own behind %j', (before, expected) => {
    const { output } = blockOutput()
    void output.write('stdout', Buffer.from(before))
    output.addLine('line')
    expect(output.summary()).toMatchObject({ stdout: before, stderr: '', output: expected })
  })

  test('follows what was still held back, when the streams have ended', () => {
    const { output } = blockOutput({ redact: ['secret'] })
    void output.write('stdout', Buffer.from('the sec'))
    output.end()
    output.addLine('line')
    expect(output.summary().output).toBe('the sec\nline\n')
  })

  test('holds no secret', () => {
    const { output } = blockOutput({ redact: ['secret'] })
    output.addLine('a secret reason')
    expect(output.summary().output).toBe('a [redacted] reason\n')
  })
})

describe('secrets', () => {
  test('are found across chunks, in the events, in each stream and in the output', () => {
    const result = run([out('pass=hun'), err('warn: hunter'), out('ter2\n'), err('2!')], {
      redact: ['hunter2'],
    })
    expect(result).toMatchObject({ stdout: 'pass=[redacted]\n', stderr: 'warn: [redacted]!' })
    expect(JSON.stringify(result)).not.toContain('hunter2')
  })

  test('are found when a character of theirs is cut', () => {
    const [first, ...rest] = Buffer.from('€uro')
    expect(run([out([first ?? 0]), out(rest)], { redact: ['€uro'] }).output).toBe('[redacted]')
  })

  test('are found when the limit would cut them', () => {
    const result = run([out(`${'a'.repeat(8)}secret${'b'.repeat(100)}secret${'c'.repeat(8)}`)], {
      maxOutputBytes: 22,
      redact: ['secret'],
    })
    expect(result.output).toMatch(/^a{8}\[re\n\[\.\.\. \d+ bytes of output left out \.\.\.\]\ned\]c{8}$/)
  })
})

test('a writer is held back for as long as the one who listens wants', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const output = new BlockOutput({
    maxOutputBytes: 10,
    redact: [],
    onOutput: () => promise,
    onLimit: () => {},
  })
  let written = false
  const writing = Promise.resolve(output.write('stdout', Buffer.from('a'))).then(() => {
    written = true
  })
  await microtasks()
  expect(written).toBe(false)
  resolve()
  await writing
})

describe('the reason of a failure', () => {
  const flood = 'x'.repeat(3_000)

  test('is put behind the output when it lay in the part that was left out', () => {
    const { output } = blockOutput()
    const traceback = "Traceback\nKeyError: 'the reason'\n"
    for (const [stream, bytes] of [out(flood), err(traceback), out(flood)]) void output.write(stream, bytes)
    output.end()
    expect(output.summary().output).not.toContain('KeyError')
    output.repeatStderrTail()
    expect(output.summary().output.endsWith(`\n${traceback}`)).toBe(true)
  })

  test('is not said twice', () => {
    const { output } = blockOutput()
    for (const [stream, bytes] of [out(flood), err('KeyError\n')]) void output.write(stream, bytes)
    output.end()
    const before = output.summary()
    output.repeatStderrTail()
    expect(output.summary()).toEqual(before)
  })

  test('is no more than an eighth of what is kept', () => {
    const { output } = blockOutput()
    for (const [stream, bytes] of [out(flood), err('z'.repeat(500)), out(flood)])
      void output.write(stream, bytes)
    output.end()
    output.repeatStderrTail()
    expect(output.summary().output.replaceAll(/[^z]/g, '')).toHaveLength(125)
  })
})
