/** The texts of figures on pages other than trading. */
export const FIGURE_TEXTS = { unknown: 'not known', usdc: '{amount} USDC' } as const
