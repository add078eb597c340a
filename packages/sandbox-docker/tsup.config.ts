import { defineConfig } from 'tsup'
import { builtInDockerode } from './build/built-in-dockerode.ts'

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm'],
  target: 'node22',
  sourcemap: true,
  clean: true,
  esbuildPlugins: [builtInDockerode],
  removeNodeProtocol: false,
  banner: { js: "import '@fenced/core/node-version'" },
  // Declarations come from tsc: tsup's own emitter needs the compiler API, which TypeScript 7 does not have.
  dts: false,
})
