// What people see and type at a terminal.

export { type ConsoleViewOptions, consoleView } from './console/console-view.ts'
export { TerminalHumanInput, type TerminalHumanInputOptions } from './human-input/terminal-human-input.ts'
export { showPicture } from './show-run/picture.ts'
export { type ShowRunOptions, showRun } from './show-run/show-run.ts'
