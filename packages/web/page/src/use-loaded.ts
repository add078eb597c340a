import { useEffect, useState } from 'react'

/** What a request brought, or why it failed. Both are absent until the first answer. */
interface Loaded<Value> {
  readonly value?: Value
  readonly problem?: string
}

/** Loads again whenever the key changes. The earlier value stays until the next one is there. */
export function useLoaded<Value>(load: () => Promise<Value>, key: string): Loaded<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key names what the request depends on.
  useEffect(() => {
    let isWanted = true
    load().then(
      (value) => isWanted && setLoaded({ value }),
      (error) => isWanted && setLoaded({ problem: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      isWanted = false
    }
  }, [key])
  return loaded
}
