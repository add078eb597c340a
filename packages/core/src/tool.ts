// For makers of tools: what a model reads of a result.

export { hostToolsText } from './host-tools/tools-text.ts'
export { type BoundedTextOptions, boundedText } from './tool/bounded-text.ts'
export {
  refusedToolOutput,
  runningToolOutput,
  type ToolOutput,
  type ToolOutputTextOptions,
  toolModelOutput,
  toolOutputText,
} from './tool/tool-output.ts'
export { type ToolOutputsOptions, toolOutputs } from './tool/tool-outputs.ts'
export { picturesOf, type ToolPicturesOptions } from './tool/tool-pictures.ts'
