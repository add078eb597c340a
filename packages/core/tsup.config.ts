import { built, licenses } from '@fenced/building'

export default built({
  entry: ['src/{index,driver,sandbox,text,tool,executor-package,internal,zod,node-version}.ts'],
  noExternal: ['zod'],
  esbuildPlugins: [licenses],
})
