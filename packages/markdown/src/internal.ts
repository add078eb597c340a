// Only for the packages of Fenced. These exports change and disappear without notice, in any version.

export { extractOptionNames } from './extraction/extract-options.ts'
export {
  checkFileName,
  fileNameOfBlock,
  readFilenameDirective,
  withoutFirstLine,
} from './language/file-name.ts'
export { builtInLanguages, languageId, languageName, languageNameInLabel } from './language/language-table.ts'
export { languages } from './language/languages.ts'
