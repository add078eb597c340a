import { built } from '@fenced/building'

export default built({ entry: ['src/{index,driver,sandbox,text,tool,internal,node-version}.ts'] })
