import assert from 'node:assert/strict'
import { type ContractRow, requiresPython, unlessStateful } from './contract.ts'
import { noticeOf } from './notice-of.ts'

/** Rules for results. */
export const resultRows: readonly ContractRow[] = [
  {
    name: 'a program that ends well is ok, with its output',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const result = await executor.execute([block(print('seven'))])
      assert.partialDeepStrictEqual(result, { status: 'ok', exitCode: 0, output: 'seven\n' })
      assert.partialDeepStrictEqual(result.blocks, [{ status: 'ok', stdout: 'seven\n', stderr: '' }])
    },
  },
  {
    name: 'blocks run in order, up to the first that fails, and earlier output is kept',
    needs: ['print', 'exit'],
    async checkShared({ executor, programs: { print, exit }, block }) {
      const result = await executor.execute([
        block(print('one')),
        block(print('two'), exit(3)),
        block(print('three')),
      ])
      assert.equal(result.status, 'error')
      assert.equal(result.output, 'one\ntwo\n')
      assert.deepEqual(
        result.blocks.map(({ status }) => status),
        ['ok', 'error'],
      )
      assert.equal(result.exitCode, result.blocks[1]?.exitCode)
      assert.notEqual(result.exitCode, 0)
    },
  },
  {
    name: 'it says what stood between the code and this machine',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const { isolation } = await executor.execute([block(print('7'))])
      const { isolation: kind, network, isolationParticulars: particulars = {} } = executor.capabilities
      const found = particularsInForce({ ...isolation.particulars, ...particulars }, isolation.particulars)
      assert.deepEqual(isolation, { kind, network, particulars: found })
    },
  },
  {
    name: 'an error that ends a program of Python or Node is in the result as data, and an exit code is none',
    needs: ['print', 'fail', 'exit'],
    async checkShared({ executor, programs: { print, fail, exit }, block }) {
      const program = block(print('before'), fail('the reason'))
      const { blocks } = await executor.execute([program])
      const { stderr = '', error } = blocks[0] ?? {}
      const hasErrors = ['python', 'javascript', 'typescript'].includes(program.language)
      assert.equal(error !== undefined, hasErrors)
      if (error !== undefined) {
        assert.match(error.message, /the reason/)
        assert.ok(stderr.includes(error.text))
        assert.partialDeepStrictEqual(error.traceback.at(-1), { file: 'block 1', line: 2, blockIndex: 0 })
      }
      const exited = await executor.execute([block(exit(3))])
      assert.equal(exited.blocks[0]?.error, undefined)
    },
  },
  {
    name: 'the exit code is the program’s own',
    needs: ['exit'],
    unless: unlessStateful,
    async checkShared({ executor, programs: { exit }, block }) {
      assert.partialDeepStrictEqual(await executor.execute([block(exit(42))]), {
        status: 'error',
        exitCode: 42,
      })
    },
  },
  {
    name: 'death by signal n is the exit code 128 + n',
    needs: ['killSelf'],
    unless: unlessStateful,
    async checkShared({ executor, programs, block }) {
      const result = await executor.execute([block(programs.killSelf)])
      assert.partialDeepStrictEqual(result, { status: 'error', exitCode: 137 })
    },
  },
  {
    name: 'both streams are kept apart, and together in the order in which they came',
    needs: ['write'],
    async checkShared({ executor, programs, block }) {
      const pieces = (['stdout', 'stderr', 'stdout', 'stderr'] as const).map((stream, index) => ({
        stream,
        bytes: Buffer.from(`${index}\n`),
      }))
      const execution = executor.execute([block(programs.write(pieces, 100))])
      let output = ''
      for await (const event of execution) {
        if (event.type === 'stdout' || event.type === 'stderr') output += event.text
      }
      const result = await execution
      assert.equal(result.output, output)
      assert.partialDeepStrictEqual(result.blocks, [{ stdout: '0\n2\n', stderr: '1\n3\n' }])
    },
  },
  {
    name: 'no blocks at all are ok',
    async checkShared({ executor }) {
      assert.partialDeepStrictEqual(await executor.execute([]), {
        status: 'ok',
        exitCode: 0,
        output: '',
        blocks: [],
      })
    },
  },
  {
    name: 'an unknown language is an invalid result that names it and what is run',
    async checkShared({ executor }) {
      const result = await executor.execute([{ language: 'klingon', code: 'nuqneH' }])
      assert.partialDeepStrictEqual(result, { status: 'invalid', exitCode: 127 })
      // What an executor runs may be known only when it has started.
      const { language, known } = noticeOf(result, 'unknown-language').data ?? {}
      assert.equal(language, 'klingon')
      assert.ok(known)
    },
  },
  {
    name: 'data, an unknown language and a text are named and not run, and what follows them is',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const skipped = [
        { language: 'json', code: '{}' },
        { language: 'klingon', code: 'nuqneH' },
        { language: '', code: 'some words' },
      ]
      const result = await executor.execute([
        ...skipped,
        block(print('after')),
        { language: 'klingon', code: '' },
      ])
      assert.equal(result.status, 'ok')
      assert.deepEqual(
        result.blocks.map(({ status }) => status),
        ['skipped', 'skipped', 'skipped', 'ok', 'skipped'],
      )
      const reasons = result.blocks.map(({ notices }) =>
        notices.map(({ message }) => `${message}\n`).join(''),
      )
      assert.equal(result.output, reasons.with(3, 'after\n').join(''))
    },
  },
  {
    name: 'a block that was cut off is refused',
    needs: ['print'],
    async checkShared({ executor, programs: { print }, block }) {
      const result = await executor.execute([{ ...block(print('half')), closed: false }])
      assert.partialDeepStrictEqual(result, { status: 'invalid', exitCode: 126 })
      noticeOf(result, 'unclosed')
    },
  },
  {
    name: 'a language whose interpreter is not there is a result with 127 that says what was looked for',
    unless: (subject) => requiresPython(subject) ?? unlessStateful({ ...subject, language: 'python' }),
    async check({ create }) {
      const language = {
        id: 'nowhere',
        aliases: [],
        extension: 'nw',
        comments: [],
        kind: 'run' as const,
        commands: [['no-such-interpreter']],
      }
      await using executor = create({ languages: [language] })
      const result = await executor.execute([{ language: 'nowhere', code: 'x' }])
      assert.partialDeepStrictEqual(result, { status: 'invalid', exitCode: 127 })
      const { data } = noticeOf(result, 'no-interpreter')
      assert.partialDeepStrictEqual(data, { language: 'nowhere', program: 'no-such-interpreter' })
    },
  },
  {
    name: 'code of 5 MB works',
    needs: ['comment', 'print'],
    async checkShared({ executor, programs: { comment, print }, block }) {
      const result = await executor.execute([block(comment('x'.repeat(5_000_000)), print('7'))])
      assert.partialDeepStrictEqual(result, { status: 'ok', output: '7\n' })
    },
  },
  {
    name: 'variables live on exactly where the executor says so',
    needs: ['setVariable', 'printIsSet'],
    async checkShared({ executor, programs: { setVariable, printIsSet }, block, capabilities, language }) {
      await executor.execute([block(setVariable('kept'))])
      const { output } = await executor.execute([block(printIsSet('kept'))])
      assert.equal(output, capabilities.stateful.includes(language) ? 'yes\n' : 'no\n')
    },
  },
  {
    name: 'a result survives JSON',
    needs: ['print', 'exit'],
    async checkShared({ executor, programs: { print, exit }, block }) {
      const result = await executor.execute([block(print('one')), block(exit(1))])
      assert.deepEqual(JSON.parse(JSON.stringify(result)), result)
    },
  },
]

type Particulars = Readonly<Record<string, unknown>>

const limits: ReadonlySet<string> = new Set(['memoryBytes', 'pids', 'cpus', 'diskBytes'])

/** The particulars of a result: the options, with the limits in force in place of the limits that the options ask for. */
function particularsInForce(asked: Particulars, inForce: Particulars | undefined): Particulars {
  if (inForce === undefined) return asked
  const isAsked = ([name, value]: [string, unknown]) => limits.has(name) && typeof value === 'number'
  return { ...Object.fromEntries(Object.entries(asked).filter((entry) => !isAsked(entry))), ...inForce }
}
