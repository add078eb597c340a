import { describe, expect, it } from 'vitest'
import { EndMark, type EndNote } from './end-mark.ts'

const id = 'f'.repeat(32)
const mark = `\u001e${id}03\u001e`

function note(exitCode: number, said: Partial<EndNote> = {}): EndNote {
  return { exitCode, outOfMemory: false, memoryKill: false, wasStopped: false, leftBehind: false, ...said }
}

function passed(chunks: readonly string[]): { text: string; note: unknown } {
  const end = new EndMark(id)
  const parts = chunks.map((chunk) => Buffer.from(end.push(Buffer.from(chunk))))
  const text = Buffer.concat(parts).toString()
  return { text, note: end.note }
}

describe('EndMark', () => {
  it('is taken off, wherever it is cut', () => {
    const whole = `output${mark}`
    for (let first = 0; first <= whole.length; first++) {
      for (let second = first; second <= whole.length; second++) {
        const chunks = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)]
        expect(passed(chunks), `${first} ${second}`).toEqual({
          text: 'output',
          note: note(3),
        })
      }
    }
  })

  it('tells that the memory limit was reached, and that the block was asked to end', () => {
    expect(passed([`\u001e${id}1137\u001e`])).toEqual({
      text: '',
      note: note(137, { outOfMemory: true, memoryKill: true }),
    })
    expect(passed([`\u001e${id}2143\u001e`])).toEqual({
      text: '',
      note: note(143, { wasStopped: true }),
    })
  })

  it('tells that a process was killed for memory, and the program itself was not', () => {
    expect(passed([`\u001e${id}10\u001e`])).toEqual({ text: '', note: note(0, { memoryKill: true }) })
    expect(passed([`\u001e${id}3124\u001e`])).toEqual({
      text: '',
      note: note(124, { memoryKill: true, wasStopped: true }),
    })
  })

  it('holds back nothing that cannot be its beginning', () => {
    const end = new EndMark(id)
    expect(Buffer.from(end.push(Buffer.from('progress 10%'))).toString()).toBe('progress 10%')
    expect(Buffer.from(end.push(Buffer.from('a\u001eb'))).toString()).toBe('a\u001eb')
  })

  it('gives back what only looked like it', () => {
    expect(passed(['a\u001e', 'ff', 'no', '\u001e', '!'])).toEqual({
      text: 'a\u001effno\u001e!',
      note: undefined,
    })
  })

  it('drops what comes after it', () => {
    expect(passed([`output${mark}late`, 'later'])).toEqual({
      text: 'output',
      note: note(3),
    })
  })

  it('is missing from a stream that was cut in its middle', () => {
    expect(passed(['output', mark.slice(0, 20)])).toEqual({ text: 'output', note: undefined })
  })
})
