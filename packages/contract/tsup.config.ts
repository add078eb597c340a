import { built } from '@fenced/building'

export default built({
  entry: ['src/index.ts'],
  // Private: it is built in.
  noExternal: ['@fenced/testing'],
})
