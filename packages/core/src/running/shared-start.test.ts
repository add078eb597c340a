import { FencedError } from '@fenced/errors'
import { expect, test } from 'vitest'
import { microtasks } from '../microtasks.fixture.ts'
import type { Notice } from '../vocabulary/code-result.ts'
import { SharedStart } from './shared-start.ts'

interface Place {
  isAlive: boolean
}

/** Something whose starts and stops are counted, and end when the test says so. */
function counted() {
  const log: string[] = []
  const starts: PromiseWithResolvers<Place>[] = []
  const shared = new SharedStart<Place>({
    start: ({ signal }) => {
      log.push('start')
      const start = Promise.withResolvers<Place>()
      signal.addEventListener('abort', () => start.reject(signal.reason))
      starts.push(start)
      return start.promise
    },
    stop: async () => {
      log.push('stop')
    },
    isAlive: ({ isAlive }) => isAlive,
    stoppedError: () => new FencedError({ code: 'PLACE_STOPPED', message: 'It was stopped.' }),
  })
  const comeUp = () => {
    const place = { isAlive: true }
    starts.at(-1)?.resolve(place)
    return place
  }
  return { log, starts, shared, comeUp }
}

/** Until everything that can go on has gone on. */

test('those who need it at the same time share one start', async () => {
  const { log, shared, comeUp } = counted()
  const all = [shared.get({}), shared.get({}), shared.get({})]
  const place = comeUp()
  expect(await Promise.all(all)).toEqual([place, place, place])
  expect(await shared.get({})).toBe(place)
  expect(log).toEqual(['start'])
})

test('a start that fails fails for all, and the next one tries again', async () => {
  const { log, starts, shared, comeUp } = counted()
  const all = Promise.allSettled([shared.get({}), shared.get({})])
  starts[0]?.reject(new Error('no'))
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = shared.get({})
  const place = comeUp()
  expect(await next).toBe(place)
  expect(log).toEqual(['start', 'start'])
})

test('one that has gone is ended once, and made again once', async () => {
  const { log, shared, comeUp } = counted()
  const first = shared.get({})
  comeUp().isAlive = true
  const place = await first
  place.isAlive = false
  const all = [shared.get({}), shared.get({})]
  await microtasks()
  const next = comeUp()
  expect(await Promise.all(all)).toEqual([next, next])
  expect(log).toEqual(['start', 'stop', 'start'])
})

test('whose signal is aborted leaves alone, and the last one ends the start', async () => {
  const { log, starts, shared } = counted()
  const [one, other] = [new AbortController(), new AbortController()]
  const first = shared.get({ signal: one.signal })
  const second = shared.get({ signal: other.signal })
  one.abort(new Error('one left'))
  await expect(first).rejects.toThrow('one left')
  const isEnded = starts[0]?.promise.then(
    () => true,
    () => true,
  )
  expect(await Promise.race([isEnded, microtasks()])).toBeUndefined()
  other.abort(new Error('other left'))
  await expect(second).rejects.toThrow('other left')
  expect(await isEnded).toBe(true)
  expect(log).toEqual(['start'])
})

test('a signal that is aborted already starts nothing', async () => {
  const { log, shared } = counted()
  await expect(shared.get({ signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
  expect(log).toEqual([])
})

test('stop ends what runs, once, and also what only starts', async () => {
  const { log, shared, comeUp } = counted()
  const running = shared.get({})
  comeUp()
  await running
  await Promise.all([shared.stop(), shared.stop()])
  await shared.stop()
  expect(log).toEqual(['start', 'stop'])
  const starting = shared.get({})
  const stopped = expect(starting).rejects.toMatchObject({ code: 'PLACE_STOPPED' })
  await shared.stop()
  await stopped
  expect(log).toEqual(['start', 'stop', 'start'])
})

test('a start that comes up although it was stopped is ended', async () => {
  const { log, starts, shared } = counted()
  const starting = shared.get({}).catch(() => {})
  const stopped = shared.stop()
  starts[0]?.resolve({ isAlive: true })
  await stopped
  await starting
  expect(log.filter((entry) => entry === 'start')).toHaveLength(1)
})

test('a stop that fails can be repeated, and is before anything is started again', async () => {
  const log: string[] = []
  let isReachable = false
  const shared = new SharedStart<Place>({
    start: async () => {
      log.push('start')
      return { isAlive: true }
    },
    stop: async () => {
      log.push('stop')
      if (!isReachable) throw new Error('not now')
    },
    isAlive: ({ isAlive }) => isAlive,
    stoppedError: () => new FencedError({ code: 'PLACE_STOPPED', message: 'It was stopped.' }),
  })
  await shared.get({})
  await expect(shared.stop()).rejects.toThrow('not now')
  await expect(shared.stop()).rejects.toThrow('not now')
  await expect(shared.get({})).rejects.toThrow('not now')
  isReachable = true
  await shared.get({})
  await shared.stop()
  await shared.stop()
  expect(log).toEqual(['start', 'stop', 'stop', 'stop', 'stop', 'start', 'stop'])
})

test('every caller that waits hears the notices of the start, also those from before it came', async () => {
  const heard: Record<string, string[]> = { first: [], second: [], late: [] }
  const hear = (name: string) => (notice: Notice) => heard[name]?.push(notice.message)
  const place = Promise.withResolvers<string>()
  let say: (message: string) => void = () => {}
  const shared = new SharedStart<string>({
    start: async ({ onNotice }) => {
      say = (message) => onNotice?.({ code: 'install', message })
      say('begins')
      return place.promise
    },
    stop: async () => {},
    stoppedError: () => new FencedError({ code: 'PLACE_STOPPED', message: 'It was stopped.' }),
  })
  const first = shared.get({ onNotice: hear('first') })
  await microtasks()
  const leaving = new AbortController()
  const second = shared.get({ onNotice: hear('second'), signal: leaving.signal })
  await microtasks()
  say('half of it')
  leaving.abort()
  await expect(second).rejects.toThrow()
  say('the rest')
  place.resolve('ready')
  await first
  say('later')
  await shared.get({ onNotice: hear('late') })
  expect(heard).toEqual({
    first: ['begins', 'half of it', 'the rest'],
    second: ['begins', 'half of it'],
    late: [],
  })
})
