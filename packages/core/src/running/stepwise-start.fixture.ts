import { FencedError } from '@fenced/errors'
import { microtasks } from '../microtasks.fixture.ts'
import { SharedStart } from './shared-start.ts'

/** A driver whose steps end when the test says so, and that notes what happens and that nothing happens twice at once. */
export function place({ heedsSignal = true } = {}) {
  const steps: string[] = []
  const running: Array<PromiseWithResolvers<void> & { readonly step: string }> = []
  const begin = (step: string, signal?: AbortSignal) => {
    if (running.length > 0) throw new Error(`${step} began while ${running[0]?.step} was running`)
    steps.push(step)
    const current = { ...Promise.withResolvers<void>(), step }
    running.push(current)
    // As most programs do it: with an error of their own, which is not the signal's reason.
    if (heedsSignal) signal?.addEventListener('abort', () => current.reject(new Error('AbortError')))
    return current.promise.finally(() => running.splice(running.indexOf(current), 1))
  }
  const current = (step: string) => {
    const found = running.find((one) => one.step === step)
    if (found === undefined) throw new Error(`${step} is not running; so far: ${steps.join(', ')}`)
    return found
  }
  return {
    shared: new SharedStart<object>({
      start: async ({ signal }) => {
        await begin('open', signal)
        return {}
      },
      stop: () => begin('close'),
      discard: () => begin('close'),
      stoppedError: () => new FencedError({ code: 'EXECUTOR_STOPPED', message: 'It was stopped.' }),
    }),
    steps,
    /** Lets the running step end, and what follows from it begin. */
    async end(step: string, error?: Error) {
      await microtasks()
      if (error === undefined) current(step).resolve()
      else current(step).reject(error)
      await microtasks()
    },
  }
}

export const quietly = <Value>(promise: Promise<Value>): Promise<Value> => {
  promise.catch(() => {})
  return promise
}

export async function readyPlace() {
  const it = place()
  const start = it.shared.get()
  await it.end('open')
  await start
  it.steps.length = 0
  return it
}
