import { beforeEach, describe, expect, it, vi } from 'vitest'
import { SandboxHandles } from '../../src/mcp/sandbox-handles.ts'

const minuteMs = 60_000

describe('a handle of a sandbox', () => {
  let handles: SandboxHandles
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    handles = new SandboxHandles({ max: 2, idleTimeoutMs: 30 * minuteMs })
    return () => vi.useRealTimers()
  })
  const open = () => handles.open() ?? ''

  it('cannot be guessed, and its id does not tell it', () => {
    const [one, two] = [open(), open()]
    expect(one).not.toBe(two)
    expect(one.length).toBeGreaterThanOrEqual(48)
    expect(handles.idOf(one)).not.toContain(one)
    expect(handles.idOf(handles.idOf(one) ?? '')).toBeUndefined()
    expect(handles.idOf('default')).toBeUndefined()
  })

  it('expires when it is not used, and a call in progress is use', () => {
    const handle = open()
    const id = handles.idOf(handle) ?? ''
    {
      using _ = handles.use(id)
      vi.advanceTimersByTime(60 * minuteMs)
      expect(handles.idOf(handle)).toBe(id)
    }
    vi.advanceTimersByTime(29 * minuteMs)
    expect(handles.idOf(handle)).toBe(id)
    vi.advanceTimersByTime(minuteMs)
    expect(handles.idOf(handle)).toBeUndefined()
  })

  it('is one of a limited number, of which those that are closed or expired do not count', () => {
    const first = open()
    open()
    expect(handles.open()).toBeUndefined()
    handles.close(handles.idOf(first) ?? '')
    expect(handles.idOf(first)).toBeUndefined()
    expect(handles.open()).toBeDefined()
    vi.advanceTimersByTime(30 * minuteMs)
    expect([handles.open(), handles.open(), handles.open()].map((each) => each !== undefined)).toEqual([
      true,
      true,
      false,
    ])
  })
})
