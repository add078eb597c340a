import type { LanguageModelCallOptions, ProviderMetadata, RequestOptions, ToolChoice, ToolSet } from 'ai'

/**
 * What is passed on with every request, as the AI SDK has it: `temperature`, `maxOutputTokens`, `topP`, `seed`,
 * `stopSequences`, `headers`, `maxRetries` (default 2), `timeout` in milliseconds (default none) and so on. The same for
 * all models of a chain; the SDK's `defaultSettingsMiddleware` gives one of them settings of its own.
 */
export interface ModelOptions extends LanguageModelCallOptions, Omit<RequestOptions, 'abortSignal'> {
  /** Whether tools may, must or must not be called. Only sent along with tools. Default `auto`. */
  toolChoice?: ToolChoice<ToolSet>
  /** Settings of one provider, by its name. */
  providerOptions?: ProviderMetadata
}
