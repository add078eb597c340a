import { useEffect, useState } from 'react'

/** In milliseconds. A click or key that comes sooner was meant for what was there before. */
const readyMs = 500

/** Whether a view has been on the screen long enough to be answered. Another `view` waits again. */
export function useReady(view: string): boolean {
  const [ready, setReady] = useState<string>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    // The first frame is painted before the second one begins. A hidden tab has neither.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        timer = setTimeout(() => setReady(view), readyMs)
      })
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
      setReady(undefined)
    }
  }, [view])
  return ready === view
}
