import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { StartProgress } from './start-progress.ts'

const pull = (message: string) => ({ code: 'pull', message })
const install = (message: string) => ({ code: 'install', message })

/** An output that remembers. */
function output(isTTY: boolean, columns = 80) {
  const written: string[] = []
  const write = (text: string) => written.push(text) > 0
  return { stream: { isTTY, columns, write }, text: () => written.join('') }
}

/** What a terminal shows in the end. */
function shown(text: string): string {
  return text
    .split('\n')
    .map((line) => line.split('\r\u001B[K').at(-1))
    .join('\n')
}

describe('on a terminal', () => {
  test('each kind of notice has one line, which keeps the last one', () => {
    const { stream, text } = output(true)
    {
      using progress = new StartProgress(stream)
      for (const notice of [pull('Pulling x'), pull('Pulling x: 50%'), pull('Pulled x')])
        progress.take(notice)
      progress.take(install('Installing y'))
      progress.take(install('Installed y'))
    }
    expect(shown(text())).toBe('Pulled x\nInstalled y\n\n')
  })

  test('nothing stays of a start that had nothing to tell', () => {
    const { stream, text } = output(true)
    using(new StartProgress(stream))
    expect(text()).toContain('Starting')
    expect(shown(text())).toBe('')
  })

  test('a long line is cut in the middle, so that it can be replaced', () => {
    const { stream, text } = output(true, 40)
    using progress = new StartProgress(stream)
    progress.take(pull('Pulling the image registry.example.com/team/image:1: 12.3 of 45.6 MB (26%)'))
    expect(shown(text())).toBe('Pulling the i...12.3 of 45.6 MB (26%)')
  })

  test('an engine cannot play with it', () => {
    const { stream, text } = output(true)
    using progress = new StartProgress(stream)
    progress.take(pull('one\n\u001B]0;title\u0007'))
    expect(shown(text())).toBe('one ␛]0;title␇')
  })
})

describe('in a log', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('there are the first and the last of each kind, and a sign of life every ten seconds', () => {
    const { stream, text } = output(false)
    {
      using progress = new StartProgress(stream)
      for (let percent = 0; percent <= 100; percent += 4) {
        progress.take(pull(`${percent}%`))
        vi.advanceTimersByTime(1_000)
      }
      progress.take(install('Installed y'))
    }
    expect(text()).toBe('0%\n40%\n80%\n100%\nInstalled y\n')
  })

  test('there is nothing when there was nothing to tell', () => {
    const { stream, text } = output(false)
    using(new StartProgress(stream))
    expect(text()).toBe('')
  })
})

function using(progress: Disposable): void {
  progress[Symbol.dispose]()
}
