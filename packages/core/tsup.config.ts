import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/{index,driver,sandbox,text,tool,internal,node-version}.ts'],
  format: ['esm'],
  target: 'node22',
  sourcemap: true,
  clean: true,
  banner: { js: "import '@fenced/core/node-version'" },
  // Declarations come from tsc: tsup's own emitter needs the compiler API, which TypeScript 7 does not have.
  dts: false,
})
