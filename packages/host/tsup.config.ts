import { built, importedBuiltins, licenses } from '@fenced/building'

export default built({
  entry: ['src/index.ts'],
  // Seven packages of thirteen CommonJS modules, which take longer to load than all modules of this package.
  noExternal: ['cross-spawn', 'which'],
  esbuildPlugins: [importedBuiltins, licenses],
})
