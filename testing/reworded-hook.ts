import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rewordedSource } from './reworded.ts'

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || loaded.source === undefined || loaded.source === null) return loaded
    const source = rewordedSource(fileURLToPath(url), String(loaded.source))
    return source === undefined ? loaded : { ...loaded, source }
  },
})
