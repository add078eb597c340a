import { ApprovalQueue, type AskAbout, type InputRequest } from '@fenced/core'
import type { JupyterCodeExecutor } from '@fenced/executor-jupyter'
import { rowTags } from '@fenced/testing'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { describeBothWays } from './both-ways.ts'
import { longGrace, python } from './support.ts'

/** Answers one line after the other. */
function answers(...lines: string[]): AskAbout<'input'> {
  return () => ({ decision: 'answer', text: lines.shift() ?? '' })
}

describeBothWays(
  (create) => {
    let executor: JupyterCodeExecutor
    beforeAll(async () => {
      executor = create(longGrace)
      await executor.start()
    })
    afterAll(() => executor.stop())

    const run = (input: AskAbout<'input'>, ...lines: string[]) =>
      executor.execute([python(...lines)], { ask: { input } })

    test('a program reads lines that a person answers, and its output has both', async () => {
      const asked: InputRequest[] = []
      const reply = answers('Ann', 'naïve ✓ 😀')
      const input: AskAbout<'input'> = (request, options) => {
        asked.push(request)
        return reply(request, options)
      }
      const code = ['print("before")', 'name = input("Your name? ")', 'line = input()', 'print(name, line)']
      const result = await run(input, ...code)
      expect(result).toMatchObject({
        status: 'ok',
        output: 'before\nYour name? Ann\nnaïve ✓ 😀\nAnn naïve ✓ 😀\n',
      })
      expect(asked).toMatchObject([
        {
          kind: 'input',
          prompt: 'Your name? ',
          isSecret: false,
          executor: 'jupyter',
          blockIndex: 0,
          question: 'A program asks: "Your name? "',
        },
        { prompt: '' },
      ])
    })

    test('what is typed for a secret is not in the output', async () => {
      const asked: InputRequest[] = []
      const input: AskAbout<'input'> = (request) => {
        asked.push(request)
        return { decision: 'answer', text: 'hunter2' }
      }
      const result = await run(input, 'import getpass', 'print(len(getpass.getpass("Key: ")))')
      expect(result.output).toBe('Key: \n7\n')
      expect(asked).toMatchObject([{ prompt: 'Key: ', isSecret: true }])
    })

    test('a program that gets no answer reads the end of its input, and the result says why', async () => {
      const result = await run(
        () => ({ decision: 'deny', reason: 'Ask for nothing.' }),
        'try: input("Name? ")',
        'except EOFError: print("no more")',
      )
      expect(result.output).toBe('Name? \nno more\n')
      expect(result.blocks[0]?.notices).toMatchObject([
        { code: 'input-denied', data: { prompt: 'Name? ', reason: 'Ask for nothing.' } },
      ])
    })

    test('while a person thinks the clock of the program stands', async () => {
      const questions = new ApprovalQueue()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const running = executor.execute([python('print(input("? "))')], {
        ask: { input: questions.ask },
        timeoutMs: 10_000,
      })
      await questions.events().next()
      vi.advanceTimersByTime(11_000)
      vi.useRealTimers()
      questions.answer(questions.pending[0]?.id ?? '', { decision: 'answer', text: 'late' })
      expect(await running).toMatchObject({ status: 'ok', output: '? late\nlate\n' })
    })

    test('a question without an answer within `maxWaitMs` is withdrawn, and the program ends and keeps its variables', async () => {
      const questions = new ApprovalQueue()
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
      onTestFinished(() => void vi.useRealTimers())
      const code = python('thought = 7', 'input("? ")')
      const running = executor.execute([code], { ask: { input: questions.ask }, maxWaitMs: 20_000 })
      await questions.events().next()
      vi.advanceTimersByTime(20_000)
      vi.useRealTimers()
      const { status, blocks } = await running
      expect(status).toBe('timeout')
      expect(blocks[0]?.notices).toContainEqual({
        code: 'timeout',
        message: expect.any(String),
        data: { limitMs: '20000', option: 'maxWaitMs' },
      })
      expect(questions.pending).toEqual([])
      expect((await executor.execute([python('print(thought)')])).output).toBe('7\n')
    })

    test('a program that is cancelled while it waits keeps its variables, and what it asked is withdrawn', async () => {
      const questions = new ApprovalQueue()
      const controller = new AbortController()
      const code = python('kept = 5', 'input("? ")')
      const running = executor.execute([code], { ask: { input: questions.ask }, signal: controller.signal })
      await expect.poll(() => questions.pending).toHaveLength(1)
      controller.abort()
      expect((await running).status).toBe('cancelled')
      expect(questions.pending).toEqual([])
      expect((await run(answers('next'), 'print(kept, input("? "))')).output).toBe('? next\n5 next\n')
    })

    test('a program calls tools and reads lines in turns', async () => {
      const tools = { double: ({ n }: { n: number }) => n * 2 }
      const code = [
        'import tools',
        'total = 0',
        'for _ in range(20): total += tools.double(n=int(input("? ")))',
        'try: input("? ")',
        'except EOFError: print(total)',
      ]
      let count = 0
      const input: AskAbout<'input'> = () =>
        count++ < 20 ? { decision: 'answer', text: `${count}` } : { decision: 'deny', reason: 'Enough.' }
      const result = await executor.execute([python(...code)], { tools, ask: { input } })
      expect(result.output).toMatch(/\? 20\n\? \n420\n$/)
      expect((await run(answers('after'), 'print(input())')).output).toBe('after\nafter\n')
    })
  },
  { isolated: true, rows: rowTags({ nightly: ['in bubblewrap'] }) },
)
