import { built, importedBuiltins, licenses } from '@fenced/building'
import { builtInDockerode } from './build/built-in-dockerode.ts'

export default built({
  entry: ['src/index.ts'],
  esbuildPlugins: [builtInDockerode, importedBuiltins, licenses],
})
