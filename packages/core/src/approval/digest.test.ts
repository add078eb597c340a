import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'
import { approvalDigest } from './digest.ts'

const target = {
  description: 'in a container, without network',
  executor: 'docker',
  isolation: 'container',
  network: 'none',
  particulars: { memoryBytes: 1_000, allowedHosts: 'pypi.org', python: '/usr/bin/python3', env: 'A, B' },
  workDir: '/data',
} as const

const file = { path: 'a.csv', sizeBytes: 3, sha256: '00ff' }

const request = {
  kind: 'code',
  id: '1',
  agent: 'coder',
  question: 'May it run?',
  blocks: [{ language: 'python', code: 'print(1)', info: 'a.py' }],
  codeHash: 'ab',
  target,
  file: { ...file, text: 'a,b' },
  timeoutMs: 1_000,
  context: '',
  retryAttempt: 0,
}

type Request = typeof request
type Change = (value: string, request: Request) => object

const blockWith = (change: object): Pick<Request, 'blocks'> => ({
  blocks: [{ ...request.blocks[0], ...change } as Request['blocks'][0]],
})
const fileWith = (change: object) => ({ file: { ...file, ...change } })
const targetWith = (change: object) => ({ target: { ...target, ...change } })
const limitWith = (change: object) => targetWith({ particulars: { ...target.particulars, ...change } })

/** Each makes one counted field another one than in `request`, whatever the string is. */
const counted: Readonly<Record<string, Change>> = {
  kind: (value) => ({ kind: `${value}.` }),
  language: (value) => blockWith({ language: `x${value}`, info: '' }),
  code: (value) => blockWith({ code: `${value}.` }),
  'file name': (value) => blockWith({ info: `${Buffer.from(value).toString('hex')}-b.py` }),
  'closed fence': () => blockWith({ closed: false }),
  'number of programs': (value) => ({ blocks: [...request.blocks, { language: 'sh', code: value }] }),
  'no file': () => ({ file: undefined }),
  'path of a file': (value) => fileWith({ path: `${value}.` }),
  'size of a file': (value) => fileWith({ sizeBytes: 4 + value.length }),
  'hash of a file': (value) => fileWith({ sha256: `${value}.` }),
  'time limit': (value) => ({ timeoutMs: 1_001 + value.length }),
  'no time limit': () => ({ timeoutMs: undefined }),
  executor: (value) => targetWith({ executor: `${value}.` }),
  isolation: () => targetWith({ isolation: 'none' }),
  network: () => targetWith({ network: 'open' }),
  directory: (value) => targetWith({ workDir: `${value}.` }),
  packages: (value) => targetWith({ installablePackages: [value] }),
  'network list': (value) => limitWith({ allowedHosts: `${value}.` }),
  'a limit': (value) => limitWith({ memoryBytes: 1_001 + value.length }),
  interpreter: (value) => limitWith({ python: `${value}.` }),
  'names of variables': (value) => limitWith({ env: `${value}.` }),
  'a particular that is not known yet': (value) => limitWith({ another: value }),
  'a field that is not known yet': (value) => ({ another: value }),
  'permission for a rerun': () => ({ mayRunAgain: true }),
}

const uncounted: Readonly<Record<string, Change>> = {
  id: (id) => ({ id }),
  'earlier request': (after) => ({ after }),
  agent: (agent) => ({ agent }),
  question: (question) => ({ question }),
  context: (context) => ({ context }),
  attempt: (value) => ({ retryAttempt: value.length }),
  'time of the question': (value) => ({ askedAt: value.length }),
  hash: (codeHash) => ({ codeHash }),
  digest: (digest) => ({ digest }),
  'need of an approval': () => ({ needsApproval: true }),
  'line of a block': (value) => blockWith({ line: value.length }),
  'text of a file': (text) => ({ file: { ...file, text } }),
  'description of the target': (description) => targetWith({ description }),
  'a field without a value': () => ({ another: undefined }),
}

describe('the digest of a request', () => {
  it.each(Object.entries(counted))('changes with %s', (_, change) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(approvalDigest({ ...request, ...change(value, request) })).not.toBe(approvalDigest(request))
      }),
      { numRuns: 30 },
    )
  })

  it.each(Object.entries(uncounted))('does not change with %s', (_, change) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(approvalDigest({ ...request, ...change(value, request) })).toBe(approvalDigest(request))
      }),
      { numRuns: 30 },
    )
  })

  it('has the hash of the file of a request, and not its text', () => {
    const write = { kind: 'file', action: 'write', path: 'a.csv', file, target }
    expect(approvalDigest({ ...write, file: { ...file, text: 'a,b' } as typeof file })).toBe(
      approvalDigest(write),
    )
    expect(approvalDigest({ ...write, file: { ...file, sha256: 'ff' } })).not.toBe(approvalDigest(write))
  })

  it('is the same after a copy through JSON, and in any order of keys', () => {
    const reversed = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return value.map(reversed)
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, field]) => [name, reversed(field)]),
      )
    }
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.anything()), (input) => {
        const call = { kind: 'tool', tool: 'pay', input }
        let digest: string
        try {
          digest = approvalDigest(call)
        } catch {
          // A value without JSON, such as a `bigint`, cannot be an argument of a tool.
          return
        }
        expect(approvalDigest(JSON.parse(JSON.stringify(call)))).toBe(digest)
        expect(approvalDigest(reversed(JSON.parse(JSON.stringify(call))) as typeof call)).toBe(digest)
      }),
    )
  })

  it('keeps its form: digests are stored, and a change of the form needs a new version', () => {
    expect(approvalDigest(request)).toMatchInlineSnapshot(
      `"6f4e067685a4f9c26d95086bc3a3570c5737341e1c0aad94faf496e92cf1605e"`,
    )
    expect(canonicalJson({ b: [1e21, -0, 'é\u2028\ud800'], a: { z: null, y: undefined } })).toBe(
      '{"a":{"z":null},"b":[1e+21,0,"é\u2028\\ud800"]}',
    )
  })
})
