import { DAY_MS } from '../../contract/durations.ts'
import { parseScaled } from '../base/decimals.ts'

/** Parameters that markets of one kind have in common. Decimals are texts, fractions are numbers. */
type Tier = {
  readonly liquidationFee: string
  readonly liquidatorFee: string
  readonly claimDiscount: string
  readonly deviationFactor: number
  readonly liquidationTier: 1 | 2
  readonly openInterestMaxUsdc: number
  /** Usual range of the price within a day, as a fraction. */
  readonly dailyVolatility: number
  /** Maximum distance between a best price and the mark price, as a fraction of the mark. */
  readonly bboDistanceMax: number
  readonly tradesPerMinute: number
  /** Whether the asset is outside of crypto. Such markets have other fee rates. */
  readonly isRwa?: true
}

/** Rules that a market takes from its tier unless its own line replaces them. */
type TierRules = Readonly<Record<'baseImr' | 'baseMmr' | 'capFunding', string>> & {
  readonly imrFactor: number
}

type TierName = 'major' | 'large' | 'mid' | 'small' | 'asset'

/** Parameters that all tiers except the first have in common. */
const LESSER = {
  liquidationFee: '0.012',
  liquidatorFee: '0.006',
  claimDiscount: '0.003',
  capFunding: '0.0075',
  deviationFactor: 7,
  liquidationTier: 2,
} as const

const TIERS: Readonly<Record<TierName, Tier & TierRules>> = {
  major: {
    baseImr: '0.01',
    baseMmr: '0.006',
    imrFactor: 0.0000010667,
    liquidationFee: '0.006',
    liquidatorFee: '0.003',
    claimDiscount: '0.0015',
    capFunding: '0.003',
    deviationFactor: 10,
    liquidationTier: 1,
    openInterestMaxUsdc: 100_000_000,
    dailyVolatility: 0.01,
    bboDistanceMax: 0.00003,
    tradesPerMinute: 5,
  },
  large: {
    baseImr: '0.02',
    baseMmr: '0.01',
    imrFactor: 0.000002,
    ...LESSER,
    openInterestMaxUsdc: 20_000_000,
    dailyVolatility: 0.016,
    bboDistanceMax: 0.0001,
    tradesPerMinute: 4,
  },
  mid: {
    baseImr: '0.05',
    baseMmr: '0.025',
    imrFactor: 0.000006,
    ...LESSER,
    openInterestMaxUsdc: 8_000_000,
    dailyVolatility: 0.02,
    bboDistanceMax: 0.0002,
    tradesPerMinute: 3,
  },
  small: {
    baseImr: '0.1',
    baseMmr: '0.05',
    imrFactor: 0.000012,
    ...LESSER,
    openInterestMaxUsdc: 3_000_000,
    dailyVolatility: 0.026,
    bboDistanceMax: 0.0004,
    tradesPerMinute: 3,
  },
  asset: {
    baseImr: '0.05',
    baseMmr: '0.025',
    imrFactor: 0.000004,
    ...LESSER,
    openInterestMaxUsdc: 10_000_000,
    dailyVolatility: 0.006,
    bboDistanceMax: 0.0001,
    tradesPerMinute: 3,
    isRwa: true,
  },
}

/** One market. `dailyMillions` is its usual daily turnover in millions of USDC. `imrFactor` replaces the tier's. */
type MarketLine = readonly [
  base: string,
  tier: TierName,
  price: string,
  quoteTick: string,
  baseTick: string,
  baseMax: string,
  fundingPeriodHours: 1 | 4 | 8,
  dailyMillions: number,
  imrFactor?: number,
]

// A price is at least 8,000 ticks, so that forty levels fit within the price range. The product quoteTick × baseTick is
// at least 0.000001, so that every order value is a whole number of micro-USDC.
const MARKET_LINES: readonly MarketLine[] = [
  ['BTC', 'major', '62000', '0.1', '0.00001', '20', 8, 62, 0.000000091],
  ['ETH', 'major', '2400', '0.01', '0.0001', '250', 8, 38, 0.0000001724],
  ['SOL', 'major', '145', '0.001', '0.01', '4000', 8, 17],
  ['XRP', 'large', '2.14', '0.0001', '0.1', '200000', 8, 7.4],
  ['BNB', 'large', '585', '0.01', '0.001', '1000', 8, 6.1],
  ['DOGE', 'large', '0.168', '0.00001', '1', '2000000', 8, 5.2],
  ['HYPE', 'mid', '38', '0.001', '0.01', '10000', 8, 4.8],
  ['SUI', 'mid', '2.9', '0.0001', '0.1', '120000', 8, 3.9],
  ['ADA', 'mid', '0.62', '0.00001', '1', '500000', 8, 2.6],
  ['AVAX', 'mid', '24.5', '0.001', '0.1', '12000', 8, 2.4],
  ['LINK', 'mid', '14.2', '0.001', '0.1', '20000', 8, 2.9],
  ['TRX', 'mid', '0.265', '0.00001', '1', '1200000', 8, 1.4],
  ['TON', 'mid', '3.1', '0.0001', '0.1', '100000', 8, 1.3],
  ['DOT', 'mid', '4.3', '0.0001', '0.1', '70000', 8, 1.2],
  ['LTC', 'mid', '84', '0.001', '0.01', '4000', 8, 1.7],
  ['BCH', 'mid', '365', '0.01', '0.001', '900', 8, 1.5],
  ['NEAR', 'mid', '2.6', '0.0001', '0.1', '120000', 8, 1.6],
  ['AAVE', 'mid', '172', '0.01', '0.001', '1800', 8, 2.2],
  ['UNI', 'mid', '7.4', '0.0001', '0.1', '40000', 8, 1.8],
  ['ARB', 'mid', '0.38', '0.00001', '1', '800000', 8, 2.1],
  ['OP', 'mid', '0.71', '0.00001', '1', '400000', 8, 1.4],
  ['APT', 'mid', '5.2', '0.0001', '0.1', '60000', 8, 1.2],
  ['1000PEPE', 'mid', '0.0112', '0.000001', '100', '25000000', 8, 3.3],
  ['ENA', 'mid', '0.34', '0.00001', '1', '900000', 4, 2.3],
  ['WLD', 'mid', '0.87', '0.00001', '1', '350000', 4, 1.9],
  ['ONDO', 'mid', '0.82', '0.00001', '1', '350000', 4, 1.3],
  ['SEI', 'small', '0.19', '0.00001', '1', '800000', 8, 1.1],
  ['TIA', 'small', '2.5', '0.0001', '0.1', '60000', 8, 0.9],
  ['INJ', 'small', '11.3', '0.001', '0.1', '13000', 8, 0.9],
  ['ATOM', 'small', '4.6', '0.0001', '0.1', '30000', 8, 0.8],
  ['FIL', 'small', '2.7', '0.0001', '0.1', '50000', 8, 0.8],
  ['ETC', 'small', '17.4', '0.001', '0.1', '8000', 8, 0.7],
  ['HBAR', 'small', '0.17', '0.00001', '1', '900000', 8, 1],
  ['ICP', 'small', '5.1', '0.0001', '0.1', '30000', 8, 0.6],
  ['LDO', 'small', '0.85', '0.00001', '1', '180000', 8, 0.7],
  ['CRV', 'small', '0.62', '0.00001', '1', '250000', 8, 1],
  ['SUSHI', 'small', '0.63', '0.00001', '1', '200000', 8, 0.5],
  ['1INCH', 'small', '0.21', '0.00001', '1', '600000', 8, 0.5],
  ['WOO', 'small', '0.072', '0.000001', '10', '2000000', 8, 0.6],
  ['1000SHIB', 'small', '0.0128', '0.000001', '100', '12000000', 8, 0.9],
  ['1000BONK', 'small', '0.0164', '0.000001', '100', '10000000', 4, 1.2],
  ['WIF', 'small', '0.61', '0.00001', '1', '250000', 4, 1.4],
  ['JUP', 'small', '0.48', '0.00001', '1', '300000', 4, 0.8],
  ['PENDLE', 'small', '3.4', '0.0001', '0.1', '40000', 4, 0.7],
  ['PYTH', 'small', '0.12', '0.00001', '1', '1200000', 4, 0.6],
  ['STRK', 'small', '0.125', '0.00001', '1', '1200000', 4, 0.5],
  ['TRUMP', 'small', '9.1', '0.0001', '0.1', '15000', 1, 1.5],
  ['BERA', 'small', '2.1', '0.0001', '0.1', '60000', 1, 0.6],
  ['EOS', 'small', '0.55', '0.00001', '1', '250000', 8, 0.5],
  ['MOON', 'small', '1.3', '0.0001', '0.1', '80000', 1, 0.5],
  ['XAU', 'asset', '3350', '0.1', '0.0001', '60', 4, 3.6],
  ['SPX500', 'asset', '5900', '0.1', '0.0001', '40', 4, 2.4],
  ['NVDA', 'asset', '135', '0.01', '0.01', '2000', 4, 1.8],
  ['TSLA', 'asset', '290', '0.01', '0.01', '900', 4, 1.6],
]

/** Base assets of markets that are being closed. Positions there can only be reduced. */
const REDUCE_ONLY_BASES: ReadonlySet<string> = new Set(['EOS'])

/**
 * The builder's id for each market that a builder listed for itself, by base asset. The market's symbol ends with this
 * id.
 */
const BUILDER_LISTINGS: ReadonlyMap<string, string> = new Map([['MOON', 'demo-x']])

/** A perpetual market: its rules and its simulation's parameters. USDC amounts have six decimals, all others eight. */
export type Market = {
  readonly symbol: string
  readonly base: string
  readonly quoteTick: bigint
  readonly quoteMin: bigint
  readonly quoteMax: bigint
  readonly baseTick: bigint
  readonly baseMin: bigint
  readonly baseMax: bigint
  /** Minimum order value in micro-USDC. */
  readonly minNotional: bigint
  /** These fractions have eight decimals: 0.03 is 3_000_000n. */
  readonly priceRange: bigint
  readonly priceScope: bigint
  readonly baseImr: bigint
  readonly baseMmr: bigint
  readonly imrFactor: number
  readonly fundingPeriodHours: 1 | 4 | 8
  readonly capFunding: bigint
  readonly floorFunding: bigint
  readonly tier: Tier
  readonly status: 'ACTIVE' | 'REDUCE_ONLY'
  /** The builder to which the market belongs; null if all builders share it. */
  readonly listedBy: string | null
  /** Reference price of the price path, in ticks. */
  readonly referenceTicks: number
  /** The value in USDC of one tick times one step. */
  readonly unitUsdc: number
  readonly dailyTurnoverUsdc: number
  readonly createdAtMs: number
}

const FIRST_LISTED_AT_MS = 1_684_108_800_000
const LISTING_EVERY_MS = 6 * DAY_MS

/** Every market by symbol, in the order of the table. */
export const MARKETS: ReadonlyMap<string, Market> = new Map(
  MARKET_LINES.map(toMarket).map((market) => [market.symbol, market]),
)

function toMarket(line: MarketLine, position: number): Market {
  const [base, tierName, price, quoteTickText, baseTickText, baseMax, hours, millions] = line
  const tier = TIERS[tierName]
  const builder = BUILDER_LISTINGS.get(base) ?? null
  const quoteTick = parseScaled(quoteTickText)
  const baseTick = parseScaled(baseTickText)
  return {
    symbol: `PERP_${base}_USDC${builder === null ? '' : `_${builder}`}`,
    base,
    quoteTick,
    quoteMin: 0n,
    quoteMax: quoteTick * 10_000_000n,
    baseTick,
    baseMin: baseTick,
    baseMax: parseScaled(baseMax),
    minNotional: 10_000_000n,
    priceRange: parseScaled('0.03'),
    priceScope: parseScaled('0.4'),
    baseImr: parseScaled(tier.baseImr),
    baseMmr: parseScaled(tier.baseMmr),
    imrFactor: line[8] ?? tier.imrFactor,
    fundingPeriodHours: hours,
    capFunding: parseScaled(tier.capFunding),
    floorFunding: -parseScaled(tier.capFunding),
    tier,
    status: REDUCE_ONLY_BASES.has(base) ? 'REDUCE_ONLY' : 'ACTIVE',
    listedBy: builder,
    referenceTicks: Number(parseScaled(price) / quoteTick),
    unitUsdc: Number(quoteTick * baseTick) / 1e16,
    dailyTurnoverUsdc: millions * 1_000_000,
    createdAtMs: FIRST_LISTED_AT_MS + position * LISTING_EVERY_MS,
  }
}
