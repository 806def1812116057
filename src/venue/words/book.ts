import { Failure } from '../../core/failure.ts'
import type { Engine } from '../engine/engine.ts'
import type { FieldsOf, RequestKind } from '../engine/requests/requests.ts'
import type { Market } from '../engine/state.ts'
import type { ValuesOf } from './read.ts'

type Desk = { readonly engine: () => Engine }

/** What words do to prices, books, markets and accounts: requests to the world, one a market. */
export const BOOK_WORDS = {
  'price shock': (desk: Desk, { symbol, share }: ValuesOf<'price shock'>, atMs: number) =>
    asked(desk, symbol, atMs, 'shock', ({ number }) => ({ market: number, share })),
  'price gap': (desk: Desk, { symbol, share }: ValuesOf<'price gap'>, atMs: number) =>
    asked(desk, symbol, atMs, 'gap', ({ number }) => ({ market: number, share })),
  'price trend': (desk: Desk, values: ValuesOf<'price trend'>, atMs: number) => {
    const { symbol, share, for: forMs } = values
    return asked(desk, symbol, atMs, 'trend', ({ number }) => ({ market: number, share, forMs }))
  },
  'price freeze': (desk: Desk, { symbol, for: forMs }: ValuesOf<'price freeze'>, atMs: number) =>
    asked(desk, symbol, atMs, 'freeze', ({ number }) => ({ market: number, forMs })),
  'price lean': (desk: Desk, values: ValuesOf<'price lean'>, atMs: number) => {
    const { symbol, share, for: forMs } = values
    return asked(desk, symbol, atMs, 'lean', ({ number }) => ({ market: number, share, forMs }))
  },
  'book thin': (desk: Desk, values: ValuesOf<'book thin'>, atMs: number) => {
    const { symbol, share, for: forMs } = values
    return asked(desk, symbol, atMs, 'thin', ({ number }) => ({ market: number, share, forMs }))
  },
  'book one-sided': (desk: Desk, values: ValuesOf<'book one-sided'>, atMs: number) => {
    const { symbol, side, for: forMs } = values
    return asked(desk, symbol, atMs, 'bare', ({ number }) => ({ market: number, side, forMs }))
  },
  crowd: (desk: Desk, values: ValuesOf<'crowd'>, atMs: number) => {
    const { symbol, side, usdc, leverage } = values
    const newcomer = { side, amount: Number(usdc), leverage }
    return asked(desk, symbol, atMs, 'crowd', ({ number }) => ({ market: number, ...newcomer }))
  },
  release: (desk: Desk, { symbol }: ValuesOf<'release'>, atMs: number) =>
    asked(desk, symbol, atMs, 'release', ({ number }) => ({ market: number })),
  market: (desk: Desk, { symbol, status }: ValuesOf<'market'>, atMs: number) => {
    return asked(desk, symbol, atMs, 'status', ({ number }) => ({ market: number, status }))
  },
  liquidate: ({ engine }: Desk, { account: key }: ValuesOf<'liquidate'>, atMs: number) => {
    const { world, submit } = engine()
    const account = world.exchange.byKey.get(key)
    if (!account) throw new Failure('not_found', { parameter: 'account' })
    const records = submit('liquidate', { account: account.number }, atMs)
    return { liquidations: records.map(({ id, takeovers }) => ({ id, parts: takeovers.length })) }
  },
}

/** Asks one thing of each market; tells how they stand then. */
function asked<Kind extends RequestKind>(
  { engine }: Desk,
  symbols: readonly string[],
  atMs: number,
  kind: Kind,
  fieldsOf: (market: Market) => FieldsOf<Kind>,
): object {
  const { world, submit } = engine()
  const rows = symbols.flatMap((symbol) => {
    const market = world.exchange.bySymbol.get(symbol)
    if (!market) return []
    submit(kind, fieldsOf(market), atMs)
    return [market]
  })
  return { rows: rows.map(standing) }
}

function standing({ spec, status, index, mark }: Market): object {
  const price = (ticks: number) => (ticks * spec.tick) / TICK_SCALE
  return { symbol: spec.symbol, status, indexPrice: price(index), markPrice: price(mark) }
}

const TICK_SCALE = 100_000_000
