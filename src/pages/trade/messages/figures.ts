/** The texts of figures on the pages beside trading. */
export const FIGURE_TEXTS = { unknown: 'not known', usdc: '{amount} USDC' } as const
