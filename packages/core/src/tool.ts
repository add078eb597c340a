// For makers of tools: an executor as a tool, and what a model reads of a result.

export { hostToolsText } from './host-tools/tools-text.ts'
export { type BoundedTextOptions, boundedText } from './tool/bounded-text.ts'
export {
  type CodeExecutionTool,
  type CodeExecutionToolInput,
  type CodeExecutionToolOptions,
  codeExecutionTool,
} from './tool/code-execution-tool.ts'
export {
  type CodeToolModelOutput,
  refusedToolOutput,
  runningToolOutput,
  type ToolOutput,
  type ToolOutputTextOptions,
  toolModelOutput,
  toolOutputOf,
  toolOutputSchema,
  toolOutputText,
} from './tool/tool-output.ts'
export { type ToolOutputsOptions, toolOutputs } from './tool/tool-outputs.ts'
export { picturesOf, type ToolPicturesOptions, toolPicturesSchema } from './tool/tool-pictures.ts'
