import { builtBelowCore } from '@fenced/building'

export default builtBelowCore({ entry: ['src/index.ts'] })
