import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { TOOL_GROUPS } from '../../contract/tool-groups.ts'
import { parseInstant, parseWholeNumber } from './figures.ts'

/** Parsers of list settings (null means every name) and of agents' limits (null means no limit). */
export const LIST_KINDS = {
  countOrOff: {
    expects: 'a whole number from 1, or off',
    parse: (text: string) => (text === 'off' ? null : parseWholeNumber(text) || undefined),
  },
  // Milliseconds since the epoch.
  instantOrOff: {
    expects: 'a time of UTC from 2000 to 2099 such as 2026-01-01T00:00:00Z, or off',
    parse: (text: string) => (text === 'off' ? null : parseInstant(text)),
  },
  marketsOrAll: {
    expects: 'markets such as PERP_ETH_USDC, separated by commas, or all',
    parse: (text: string) => {
      if (text === 'all') return null
      const symbols = splitItems(text)
      return symbols.every((symbol) => MARKET_NAME.test(symbol)) ? symbols : undefined
    },
  },
  symbolsOrOff: {
    expects: 'markets such as PERP_ETH_USDC, separated by commas, none, or off',
    parse: (text: string) => {
      if (text === 'off' || text === 'none') return text === 'off' ? null : []
      const symbols = splitItems(text)
      return symbols.every((symbol) => SYMBOL_PATTERN.test(symbol)) ? symbols : undefined
    },
  },
  toolGroupsOrOff: {
    expects: `some of ${TOOL_GROUPS.join(', ')}, separated by commas, or off`,
    parse: (text: string) => {
      if (text === 'off') return null
      const words = splitItems(text)
      const groups = TOOL_GROUPS.filter((group) => words.includes(group))
      return groups.length === words.length ? groups : undefined
    },
  },
}

/** The venue decides whether the market exists. */
const MARKET_NAME = /^[\w-]{1,64}$/

function splitItems(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim())
}
