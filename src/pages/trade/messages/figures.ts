/** The texts of figures on the pages beside trading. */
export const FIGURES = { unknown: 'not known', usdc: '{amount} USDC' } as const
