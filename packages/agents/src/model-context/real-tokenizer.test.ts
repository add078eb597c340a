import { countTokens } from 'gpt-tokenizer'
import { describe, expect, it } from 'vitest'
import { TokenLimitedChatCompletionContext } from './contexts.ts'
import { contentsOf, user } from './messages.fixture.ts'
import { estimateTokens } from './model-context.ts'

describe('a real tokenizer', () => {
  it('is an option as it is', async () => {
    const question = 'Which of these cities has the most bridges, and which one the fewest?'
    const tokens = 4 + countTokens(question)
    const history = ['first', 'second', 'third'].map((word) => user(`${question} ${word}`))
    const context = new TokenLimitedChatCompletionContext({
      tokenLimit: 2 * (tokens + 2),
      countTokens,
      initialMessages: history,
    })
    expect(contentsOf(await context.messages())).toEqual([`${question} first`, `${question} third`])
  })
})

describe('the estimate', () => {
  it.each([
    [
      'English',
      'The quick brown fox jumps over the lazy dog, and nobody has ever asked the dog what it thinks of that. '.repeat(
        5,
      ),
    ],
    [
      'code',
      'def fibonacci(n: int) -> int:\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\n\nprint(fibonacci(14))\n'.repeat(
        5,
      ),
    ],
    [
      'JSON',
      JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: `item-${id}`, price: id * 1.25 }))),
    ],
    ['German', 'Der Rechner hat gestern lange gebraucht, um die Verkehrsüberwachung auszuwerten. '.repeat(5)],
    ['Chinese', '今天我们用一个小程序来计算第十四个斐波那契数，并把结果打印出来。'.repeat(5)],
  ])('of %s is near what a tokenizer counts, and rather above it', (_, text) => {
    const ratio = estimateTokens(text) / countTokens(text)
    expect(ratio).toBeGreaterThan(0.7)
    expect(ratio).toBeLessThan(2.5)
  })

  it('of nothing is nothing', () => {
    expect(estimateTokens('')).toBe(0)
  })
})
