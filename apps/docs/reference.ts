// Writes the reference of the API: a page for each import of each package, from the TSDoc of what it exports.
import { globSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Application, type TypeDocOptions } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

const packages = join(import.meta.dirname, '../../packages')
const out = join(import.meta.dirname, '.vitepress/reference')

/** What changes in any version, and what holds no API. */
const notDocumented = /^\.\/(internal|node-version|register|package\.json)$/

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** The name of each import by the file of its sources. */
const imports = new Map<string, string>()
for (const file of globSync('*/package.json', { cwd: packages })) {
  const { name, exports } = JSON.parse(readFileSync(join(packages, file), 'utf8')) as {
    name: string
    exports: Exports
  }
  for (const [door, target] of Object.entries(exports)) {
    if (notDocumented.test(door) || typeof target === 'string') continue
    imports.set(join(packages, dirname(file), target['@fenced/source'] ?? ''), join(name, door))
  }
}

const options: TypeDocOptions & Partial<PluginOptions> = {
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: join(import.meta.dirname, '../../tsconfig.json'),
  entryPoints: [...imports.keys()],
  out,
  readme: 'none',
  // The compiler of the workspace checks the types, in a version that typedoc does not speak.
  skipErrorChecking: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  disableSources: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  outputFileStrategy: 'modules',
  useCodeBlocks: true,
  // VitePress makes other ids of the headings.
  useHTMLAnchors: true,
  anchorPrefix: 'api-',
  parametersFormat: 'table',
  // The columns that are left fit into a page.
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true },
  interfacePropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  validation: { notExported: false, invalidLink: true, notDocumented: false },
}

const application = await Application.bootstrapWithPlugins(options)
const project = await application.convert()
if (project === undefined) throw new Error('typedoc made nothing of the sources.')
for (const module of project.children ?? []) {
  const { fileName = '' } = project.getSymbolIdFromReflection(module) ?? {}
  module.name = imports.get(fileName) ?? module.name
}
// The base of a class can be a call, which is not a name for a reader.
for (const reflection of Object.values(project.reflections))
  if ('inheritedFrom' in reflection && String(Object(reflection.inheritedFrom).name).includes('('))
    delete reflection.inheritedFrom
application.validate(project)
rmSync(out, { recursive: true, force: true })
await application.generateOutputs(project)
if (application.logger.hasErrors() || application.logger.hasWarnings()) process.exitCode = 1
