import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** How close to the end counts as there, in pixels. */
const tolerance = 60

/** A box that follows its end while its content grows, until the person scrolls up. */
export interface Follow {
  readonly box: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly onScroll: () => void
  readonly isAtEnd: boolean
  /** Scrolls to the end, and follows it again. */
  readonly toEnd: () => void
}

export function useFollow(): Follow {
  const box = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const lastTop = useRef(0)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = useCallback(() => {
    isFollowing.current = true
    setAtEnd(true)
    box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [])
  const onScroll = useCallback(() => {
    if (box.current === null) return
    const { scrollTop, scrollHeight, clientHeight } = box.current
    const isNear = scrollHeight - scrollTop - clientHeight < tolerance
    // Content that grows moves the end away from the position. Only a person moves the position up.
    if (isNear) isFollowing.current = true
    else if (scrollTop < lastTop.current) isFollowing.current = false
    lastTop.current = scrollTop
    setAtEnd(isFollowing.current || scrollHeight - scrollTop - clientHeight < clientHeight / 3)
  }, [])
  useEffect(() => {
    const { current: grown } = content
    if (grown === null) return
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) box.current?.scrollTo({ top: box.current.scrollHeight })
    })
    observer.observe(grown)
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return { box, content, onScroll, isAtEnd, toEnd }
}
