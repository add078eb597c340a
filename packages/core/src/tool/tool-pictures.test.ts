import { describe, expect, it } from 'vitest'
import { DriverExecutor } from '../engine/driver-executor.ts'
import { engineOptionsShape } from '../engine/options.ts'
import { parseOptions } from '../options/parse-options.ts'
import type { CodeResult } from '../vocabulary/code-result.ts'
import { z } from '../zod.ts'
import { type CodeExecutionToolOptions, codeExecutionTool } from './code-execution-tool.ts'
import type { ToolOutput } from './tool-output.ts'
import { picturesOf } from './tool-pictures.ts'

const picture = (size: number) => Buffer.alloc(size, 7).toString('base64')

/** Shows one result for each word of its program: so many bytes of a picture, or text. */
class ShowingExecutor extends DriverExecutor {
  constructor() {
    super({
      name: 'showing',
      driver: {
        run: async ({ code }, { result, write }) => {
          for (const word of code.trim().split(' ')) {
            if (Number(word) > 0) result({ 'text/plain': '<Figure>', 'image/png': picture(Number(word)) })
            else result({ 'text/plain': word })
          }
          await write('stdout', Buffer.from('done\n'))
          return { exitCode: code.includes('fail') ? 1 : 0 }
        },
      },
      capabilities: {
        languages: ['python'],
        isolation: 'none',
        stateful: [],
        richOutput: true,
        network: 'none',
        limits: { memory: false, processes: false },
      },
      options: parseOptions(z.strictObject(engineOptionsShape), {}, 'the executor'),
    })
  }
}

async function outputOf(code: string, pictures?: CodeExecutionToolOptions['pictures']) {
  const tool = codeExecutionTool(new ShowingExecutor(), { pictures })
  let last: ToolOutput | undefined
  for await (const output of tool.execute({ code })) last = output
  if (last === undefined) throw new Error('There was no output.')
  return { output: last, model: tool.toModelOutput({ output: JSON.parse(JSON.stringify(last)) }) }
}

describe('pictures for a model', () => {
  it('are left out unless they are asked for', async () => {
    const { output, model } = await outputOf('10')
    expect(output).not.toHaveProperty('pictures')
    expect(model.type).toBe('text')
    expect(JSON.stringify(model)).not.toContain(picture(10))
  })

  it('come behind the text, in order, in the form of the AI SDK', async () => {
    const { model } = await outputOf('10 text 20', true)
    expect(model).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: expect.stringContaining('done') },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture(10) } },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture(20) } },
      ],
    })
  })

  it('also of a program that failed, whose text says so', async () => {
    const { model } = await outputOf('10 fail', true)
    expect(model).toMatchObject({
      type: 'content',
      value: [{ text: expect.stringContaining('Exit code: 1 (error)') }, { type: 'file' }],
    })
  })

  it('are text alone where there is none', async () => {
    expect((await outputOf('text', true)).model.type).toBe('text')
    expect((await outputOf('fail', true)).model.type).toBe('error-text')
  })

  it.each([
    ['at most four, of three megabytes', true, '1 2 3 4 5', [1, 2, 3, 4]],
    ['at most three megabytes of all', true, '2000000 1500000 500000', [2_000_000, 500_000]],
    ['fewer', { maxCount: 1 }, '1 2', [1]],
    ['smaller', { maxBytes: 10 }, '11 4 5 2', [4, 5]],
  ] as const)('%s', async (_, pictures, code, sizes) => {
    const { output } = await outputOf(code, pictures)
    expect(output.pictures?.map(({ data }) => Buffer.from(data, 'base64').length)).toEqual(sizes)
  })

  it.each([[{ maxCount: 0 }], [{ maxBytes: -1 }], [{ most: 1 }], ['yes']])(
    '%j is no such option',
    (pictures) => {
      expect(() => codeExecutionTool(new ShowingExecutor(), { pictures: pictures as never })).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS' }),
      )
    },
  )

  it('are the lines of a kernel put together, and one representation each', () => {
    const results = [
      { 'image/png': 'AAAA\nAAAA\n', 'image/jpeg': 'BBBB' },
      { 'image/svg+xml': '<svg/>' },
      { 'image/jpeg': 'BBBB' },
    ]
    expect(
      picturesOf({ blocks: [{ results: results.map((data) => ({ data })) }] } as unknown as CodeResult, {}),
    ).toEqual([
      { mediaType: 'image/png', data: 'AAAAAAAA' },
      { mediaType: 'image/jpeg', data: 'BBBB' },
    ])
  })
})
