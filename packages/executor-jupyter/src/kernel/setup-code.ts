/** What makes a new kernel fit for programs, by language. It leaves no name behind. */
export function setupCode(language: string): string | undefined {
  return language === 'python' ? pythonSetup : undefined
}

/** IPython tells a program that ends with `sys.exit` how a person leaves the prompt. */
const pythonSetup = `__import__('warnings').filterwarnings('ignore', message="To exit: use 'exit', 'quit', or Ctrl-D")`
