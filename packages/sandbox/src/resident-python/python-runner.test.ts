import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { encodeFrame } from './frames.ts'
import { PythonRunner } from './python-runner.ts'

it('knows that a program ended by itself when it is stopped while its last output is taken', async () => {
  const [input, output] = [new PassThrough().resume(), new PassThrough()]
  output.write(encodeFrame('h', ['3.13.0']))
  const runner = await PythonRunner.start({ input, output })
  const controller = new AbortController()
  const gate = Promise.withResolvers<void>()
  const isHeld = Promise.withResolvers<void>()
  const running = runner.run(
    { path: '/program.py', cwd: '/', killGraceMs: 1_000 },
    {
      signal: controller.signal,
      write: () => {
        isHeld.resolve()
        return gate.promise
      },
    },
  )
  // In one piece, so that all of it is there before the reader holds it up.
  output.write(Buffer.concat([encodeFrame('o', ['last']), encodeFrame('x', ['3', '', 'self'])]))
  await isHeld.promise
  controller.abort()
  gate.resolve()
  expect(await running).toEqual({ exitCode: 3, endedByItself: true })
})

it('gives a runner up that sends calls and reads no answers', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  output.write(encodeFrame('h', ['3.13.0']))
  const runner = await PythonRunner.start({ input, output })
  const answer = 'x'.repeat(1_000)
  const running = runner.run(
    { path: '/program.py', cwd: '/', tools: '', killGraceMs: 1_000 },
    {
      signal: new AbortController().signal,
      write: () => {},
      tools: { maxMessageBytes: 1_000, pythonFunctions: '', answer: async () => answer },
    },
  )
  const unread = () => input.readableLength + input.writableLength
  // The source of the runner and the program are already there.
  const before = unread()
  output.write(encodeFrame('t', ['call\n'.repeat(100)]))
  expect(await running).toBe('died')
  expect(unread() - before).toBeLessThan(50_000)
})
