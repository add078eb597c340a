import { built, builtApart, licenses } from '@fenced/building'

export default built({
  entry: ['src/{index,driver,sandbox,tool,internal,zod,node-version}.ts'],
  noExternal: ['zod'],
  esbuildPlugins: [builtApart('from-json-schema'), licenses],
})
