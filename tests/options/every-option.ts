import { resolve } from 'node:path'
import {
  API,
  type Checker,
  type Symbol as CheckerSymbol,
  SignatureKind,
  SymbolFlags,
} from 'typescript/unstable/sync'

/** One option, as an editor shows it. */
export interface DocumentedOption {
  /** The class or function that takes it. */
  readonly of: string
  readonly name: string
  /** The text above its tags. */
  readonly documentation: string
  /** Text after `@default`. */
  readonly defaultText: string | undefined
}

/**
 * The options of every class that a module exports, and of every function with a parameter whose type is called
 * `...Options`, as TypeScript's checker knows them.
 *
 * @param configFile - the project that the module belongs to.
 */
export function everyOption(configFile: string, module: string): DocumentedOption[] {
  const api = new API()
  try {
    const { checker, program } = opened(api, resolve(configFile))
    const source = program.getSourceFile(resolve(module))
    if (source === undefined) throw new Error(`${configFile} has no ${module}.`)
    return source.statements
      .flatMap((statement) =>
        'moduleSpecifier' in statement
          ? [checker.getSymbolAtLocation(statement.moduleSpecifier as never)]
          : [],
      )
      .flatMap((imported) => (imported === undefined ? [] : checker.getExportsOfModule(imported)))
      .flatMap((exported) => optionsOf(checker, exported))
  } finally {
    api.close()
  }
}

function opened(api: API, configFile: string) {
  const project = api.updateSnapshot({ openProjects: [configFile] }).getProject(configFile)
  if (project === undefined) throw new Error(`There is no ${configFile}.`)
  return project
}

function optionsOf(checker: Checker, exported: CheckerSymbol): DocumentedOption[] {
  const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const isClass = (symbol.flags & SymbolFlags.Class) !== 0
  if (!isClass && !(symbol.flags & SymbolFlags.Function)) return []
  const type = checker.getTypeOfSymbol(symbol)
  if (type === undefined) return []
  const kind = isClass ? SignatureKind.Construct : SignatureKind.Call
  return checker
    .getSignaturesOfType(type, kind)
    .flatMap((signature) => signature.getParameters())
    .flatMap((parameter) => {
      const parameterType = checker.getTypeOfSymbol(parameter)
      const given = parameterType && checker.getNonNullableType(parameterType)
      if (given === undefined || !(isClass || checker.typeToString(given).endsWith('Options'))) return []
      return checker.getPropertiesOfType(given).filter(isOurs)
    })
    .map((option) => ({
      of: exported.name,
      name: option.name,
      documentation: checker.getDocumentationCommentOfSymbol(option),
      defaultText: checker.getJsDocTagsOfSymbol(option).find(({ name }) => name === 'default')?.text,
    }))
}

/** Not a property of a type of JavaScript, Node or a dependency. */
function isOurs(option: CheckerSymbol): boolean {
  return option.declarations.some(({ path }) => /\/packages\/|\/@fenced\//.test(path))
}
