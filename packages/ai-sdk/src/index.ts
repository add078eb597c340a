export type {
  NetworkSession,
  SandboxProcess,
  SandboxProvider,
  SandboxSession,
  SandboxToolCall,
  ToolCallerTool,
} from './ai-sdk.ts'
export {
  type SandboxProviderOptions,
  type SandboxRequest,
  sandboxProvider,
} from './provider/sandbox-provider.ts'
export type { SandboxSessionOptions } from './session/sandbox-session.ts'
export { toSandboxSession } from './to-sandbox-session.ts'
export { type ClaudeBashInput, type ClaudeBashOptions, claudeBash } from './tools/claude-bash.ts'
export {
  type ClaudeTextEditorInput,
  type ClaudeTextEditorOptions,
  claudeTextEditor,
} from './tools/claude-text-editor.ts'
export { codeModeTool } from './tools/code-mode-tool.ts'
export {
  type OpenaiShellInput,
  type OpenaiShellOptions,
  type OpenaiShellOutput,
  openaiShell,
} from './tools/openai-shell.ts'
