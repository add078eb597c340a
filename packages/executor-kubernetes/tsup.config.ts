import { built } from '@fenced/building'

export default built({ entry: ['src/index.ts', 'src/register.ts'] })
