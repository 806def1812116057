/** A market symbol that callers may send. */
export const SYMBOL_PATTERN = /^PERP_[A-Z0-9]{1,20}_USDC$/

/**
 * The part after PERP_ in the symbol of a shared market. The venue does not limit the base; builders' markets have a
 * suffix.
 */
const SHARED = '[A-Z0-9]+_USDC'

/** Symbols as the venue sends them. */
export const VENUE_SYMBOLS = {
  shared: new RegExp(`^PERP_${SHARED}$`),
  /** The symbol of a market with a builder's suffix. */
  suffixed: new RegExp(`^PERP_(?!${SHARED}$)`),
  /**
   * A symbol with a builder's suffix (`suffixed`) within JSON text. The pattern starts with the rare letter P and not
   * with a quote, so that the regex engine can skip ahead (9 times faster).
   */
  suffixedInJson: new RegExp(`PERP_(?!${SHARED}")`),
} as const
