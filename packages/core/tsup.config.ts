import { built, builtApart, layered, licenses } from '@fenced/building'

export default built({
  entry: ['src/{index,driver,sandbox,tool,internal,zod,node-version}.ts'],
  noExternal: ['zod'],
  esbuildPlugins: [
    layered(['index', 'tool'], ['driver', 'sandbox', 'internal']),
    builtApart('from-json-schema'),
    licenses,
  ],
})
