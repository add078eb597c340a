/** Tokens that a model has read and written, and what they cost. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  /** In the currency of the price table; absent where it holds no price for one of the models. */
  cost?: number
}

/** What was used, of every model by its id, and in all. */
export interface UsageSummary extends Usage {
  byModel: Readonly<Record<string, Usage>>
}

/** What a model costs, in any currency, for a million tokens. */
export interface Price {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  /** Of the input, what the provider had in its cache; `inputPerMillion` by default. */
  readonly cacheReadPerMillion?: number | undefined
  /** Of the input, what the provider has put into its cache; `inputPerMillion` by default. */
  readonly cacheWritePerMillion?: number | undefined
}

/** Prices by the id of a model. */
export type PriceTable = Readonly<Record<string, Price>>
