/** Where the API of a provider is, in the form that OpenAI has given it. */
export interface Provider {
  readonly baseUrl: string
  readonly needsKey: boolean
}

/** Those that can be named without a base URL. */
export const providers: Readonly<Record<string, Provider>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', needsKey: true },
  mistral: { baseUrl: 'https://api.mistral.ai/v1', needsKey: true },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', needsKey: true },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', needsKey: true },
  together: { baseUrl: 'https://api.together.xyz/v1', needsKey: true },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', needsKey: true },
  ollama: { baseUrl: 'http://localhost:11434/v1', needsKey: false },
  lmstudio: { baseUrl: 'http://localhost:1234/v1', needsKey: false },
}

/** The variable of the environment that holds a provider's key. */
export function keyNameOf(provider: string): string {
  return `${provider.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_API_KEY`
}
