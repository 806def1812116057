import { parseDecimal } from '../../../../src/core/decimals.ts'
import { createRng } from '../../../../src/simulator/base/rng.ts'
import { createLiveFeed } from '../../../../src/simulator/feed/live-feed.ts'
import { createFeed } from '../../../../src/simulator/past/seeded-feed.ts'
import { type Answer, openVenueFixture, type VenueFixture } from '../../fixture.ts'
import { FOUR_LISTED, WORLD_START_MS } from '../../past/small-feed.ts'
import { brokenOf, consentsOf } from '../../rest/money/consents.ts'
import { publicGet, signed } from '../../trading-wallet.ts'
import type { Collateral } from './figures.ts'
import type { Now, Rules } from './ledger.ts'

// biome-ignore lint/suspicious/noExplicitAny: the rows of the wire are what is compared
export type Row = Record<string, any>

/** An account as its client sees it. */
export type Client = {
  readonly id: string
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>
}

/** The venue over its wire, with a clock and an index that a scenario moves. */
export type Wire = {
  readonly symbols: readonly string[]
  readonly hasLiquidator: boolean
  readonly collaterals: readonly Collateral[]
  readonly rules: ReadonlyMap<string, Rules>
  readonly clients: readonly Client[]
  readonly now: () => ReadonlyMap<string, Now>
  readonly fund: (client: Client, token: string, amount: number) => void
  readonly jump: (symbol: string, price: number) => void
  readonly quote: (symbol: string, spread: number | null) => void
  readonly pass: (ms: number) => void
  /** Settles the first client's PnL; the balance follows within a minute. */
  readonly settle: () => Promise<Answer>
  readonly broken: () => readonly string[]
  readonly close: () => void
}

const SUB_ACCOUNTS = 2
const FUND_USDC = 5_000_000
const QUOTE_USDC = 400_000
const DECIMALS = 100_000_000

/** Opens a venue of four quiet markets with three empty accounts. */
export async function openWire(seed: number): Promise<Wire> {
  const fixture = openVenueFixture({ faucet: 0n, listed: FOUR_LISTED })
  const main = await fixture.trader('main')
  const feed = createLiveFeed(createFeed({ seed: 1, beginsAtMs: WORLD_START_MS }), () =>
    fixture.exchange().simulation(),
  )
  const symbols = FOUR_LISTED.map(({ symbol }) => symbol)
  const clientOf = (id: string): Client => ({
    id,
    call: (method, path, body) =>
      fixture.send(
        signed(
          { ...main, accountId: id },
          {
            ...{ method, path, timestampMs: fixture.nowMs() },
            ...(body && { body: JSON.stringify(body) }),
          },
        ),
      ),
  })
  const clients = [clientOf(main.accountId)]
  for (let at = 0; at < SUB_ACCOUNTS; at += 1) {
    const { data } = await main.post('/v1/client/add_sub_account', {})
    clients.push(clientOf(data.sub_account_id))
  }
  fillFund(fixture)
  // Every second world has a liquidator; in the others the insurance fund takes everything over.
  const hasLiquidator = seed % 2 === 0
  if (hasLiquidator) hireLiquidator(fixture)
  const indexOf = (symbol: string) => Number(feed.index(symbol)) / DECIMALS
  return {
    symbols,
    hasLiquidator,
    collaterals: await collateralsOf(fixture),
    rules: rulesOf((await main.get('/v1/client/info')).data),
    clients,
    now: () => {
      fixture.advance()
      return new Map(
        symbols.map((symbol) => [
          symbol,
          {
            mark: Number(feed.mark(symbol)) / DECIMALS,
            index: indexOf(symbol),
            sumUnitary: Number(feed.funding(symbol).sumUnitary) / DECIMALS,
          },
        ]),
      )
    },
    fund: ({ id }, token, amount) => {
      const units = parseDecimal(amount.toFixed(6), token === 'USDC' ? 6 : 8) ?? 0n
      fixture.venue().practice.fund(id, units, token)
    },
    jump: (symbol, price) => fixture.move(symbol, price),
    quote: (symbol, spread) => {
      const index = indexOf(symbol)
      const size = QUOTE_USDC / index
      const at = (share: number) => [[Number((index * share).toFixed(1)), size]] as const
      fixture.quote(
        symbol,
        spread === null ? { bids: [], asks: [] } : { bids: at(1 - spread), asks: at(1 + spread) },
      )
    },
    pass: (ms) => {
      fixture.sleep(ms)
      fixture.advance()
    },
    settle: () => consentsOf(fixture).settle(main, 'main'),
    broken: () => brokenOf(fixture),
    close: () => fixture[Symbol.dispose](),
  }
}

/** The insurance fund can carry everything: nobody is deleveraged. */
function fillFund(fixture: VenueFixture): void {
  const { engine } = fixture.exchange().simulation()
  const account = engine.world.fund.number
  engine.submit('deposit', { account, amount: FUND_USDC * 1_000_000 }, fixture.nowMs())
}

function hireLiquidator(fixture: VenueFixture): void {
  const { engine } = fixture.exchange().simulation()
  const account = engine.submit('open', { key: 'liquidator', leverage: 10 }, fixture.nowMs())
  const amount = FUND_USDC * 1_000_000
  engine.submit('deposit', { account: account.number, amount }, fixture.nowMs())
  const { agents } = engine.world
  agents.push({
    ...{ number: agents.length, role: 'liquidator', account, market: 0, stake: 0, purse: 0 },
    ...{ rng: createRng(1, account.key), rank: 0, quotes: [], anchor: 0, isAwake: false },
  })
}

async function collateralsOf(fixture: VenueFixture): Promise<readonly Collateral[]> {
  const { data } = await fixture.send(publicGet('/v1/public/token'))
  return data.rows
    .filter(({ token }: Row) => token !== 'USDC')
    .map((row: Row) => ({
      token: row['token'],
      weight: row['base_weight'],
      discountFactor: row['discount_factor'],
      quantityMax: row['user_max_qty'],
    }))
}

/** What liquidation costs in every market, as `/v1/public/info` shows it. */
export const LIQUIDATION_FEES: ReadonlyMap<
  string,
  { readonly user: number; readonly tier: number }
> = new Map(
  FOUR_LISTED.map(({ symbol, tier }) => [
    symbol,
    { user: Number(tier.liquidationFee), tier: tier.liquidationTier },
  ]),
)

/** The rules of every market as `/v1/public/info` shows them; factors are the account's own. */
function rulesOf(info: Row): ReadonlyMap<string, Rules> {
  return new Map(
    FOUR_LISTED.map(({ symbol, baseImr, baseMmr }) => [
      symbol,
      {
        symbol,
        baseImr: Number(baseImr) / DECIMALS,
        baseMmr: Number(baseMmr) / DECIMALS,
        factor: info['imr_factor'][symbol],
      },
    ]),
  )
}
