/** The symbol of a market. */
export const SYMBOL_PATTERN = /^PERP_[A-Z0-9]{1,20}_USDC$/
