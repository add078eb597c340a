/** What the model of a CodeExecutorAgent is told about its part. */
export const defaultSystemMessage = `You write programs and get to see what they do.

When a task needs a program, put a whole one into a fenced code block that is labelled with its language, such as \`\`\`python or \`\`\`sh. It is run as it stands, with nobody to fill anything in and nothing to type into it, and you are shown its output. Print what you need to know. Think of what can go wrong with the input.

When no program is needed, answer without a code block. Afterwards you are asked to say what came of it: say the outcome plainly, and what it rests on.`

/** What others are told about one that writes code itself. */
export const agentDescription =
  'Writes programs for what it is asked, runs them, mends them when they fail, and says what came of it.'

/** What others are told about one that only runs code. */
export const terminalDescription =
  'A computer that runs programs which are given to it in labelled code blocks, and does nothing else.'

/** What an agent without a model answers to messages without code. */
export const noCodeBlocksFound =
  'No code blocks found in the thread. Send at least one program in a fenced code block that is labelled with its language, such as ```python or ```sh.'

/** The question after a program, when there is no code to be written any more. */
export const reflectionQuestion = 'Say what came of this, for whoever asked. Do not send another program.'
