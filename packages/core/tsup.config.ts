import { built } from '@fenced/building'

export default built({
  entry: ['src/{index,driver,sandbox,text,tool,executor-package,internal,node-version}.ts'],
})
