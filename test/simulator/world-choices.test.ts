import { describe, expect, test } from 'bun:test'
import type { Activity } from '../../src/contract/venue/activity.ts'
import { openArchive } from '../../src/simulator/control/archive.ts'
import { createEmbeddedVenue } from '../../src/simulator/embedded.ts'
import { MARKETS } from '../../src/simulator/listing/instruments.ts'
import { marketProblems } from '../../src/simulator/world-choices.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'

const [BTC, ETH, SOL] = ['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC']
const ignore = () => undefined

/** A venue of virtual time in a file, the markets it has, and the warnings of its opening. */
function open(
  entities: ReturnType<typeof openVenueFile>,
  markets: readonly string[] | null,
  activity: Activity = 'sparse',
) {
  const warnings: string[] = []
  const venue = createEmbeddedVenue({
    seed: 1,
    activity,
    markets,
    pricesCsv: null,
    tape: null,
    paper: null,
    time: 'virtual',
    startMs: Date.UTC(2026, 0, 1),
    faucet: 0n,
    wallClock: { nowMs: () => 0 },
    monotonicMs: () => 0,
    log: { error: ignore, warn: (event) => void warnings.push(event), info: ignore, debug: ignore },
    entities,
  })
  const symbols = () =>
    venue.exchange.simulation().engine.world.scenes.map(({ listed }) => listed.symbol)
  return { venue, symbols, warnings }
}

describe('the markets of a world', () => {
  test('are those that are named, in the order of the table, and the others are not there', async () => {
    const { venue, symbols, warnings } = open(openVenueFile(':memory:'), [ETH, BTC, ETH])
    expect(symbols()).toEqual([BTC, ETH])
    const prices = [ETH, SOL, 'PERP_NONE_USDC'].map(venue.indexOf)
    expect(prices).toEqual([expect.any(BigInt), expect.any(BigInt), null])
    const { body } = await venue.answer({ method: 'GET', path: '/v1/public/futures', headers: {} })
    const { rows } = JSON.parse(body).data
    expect(rows.map(({ symbol }: { symbol: string }) => symbol)).toEqual([BTC, ETH])
    expect(warnings).toEqual([])
  })

  test('stay those of a stored world, from its log alone and from its snapshot, and others are warned of', () => {
    const entities = openVenueFile(':memory:')
    const first = open(entities, [ETH])
    const { engine } = first.venue.exchange.simulation()
    engine.submit('shock', { market: 0, share: 0.1 }, engine.world.nowMs)
    first.venue.exchange.commit()
    const logged = open(entities, [ETH])
    expect([logged.symbols(), logged.warnings]).toEqual([[ETH], []])
    logged.venue.exchange.save()
    const other = open(entities, [BTC])
    expect([other.symbols(), other.warnings]).toEqual([[ETH], ['venue_markets_kept']])
    const all = open(entities, null)
    expect([all.symbols(), all.warnings]).toEqual([[ETH], ['venue_markets_kept']])
  })

  test('are all in a world from before they could be chosen', () => {
    const entities = openVenueFile(':memory:')
    open(entities, null)
    const later = open(entities, [ETH])
    expect([later.symbols().length, later.warnings]).toEqual([MARKETS.size, ['venue_markets_kept']])
  })

  test('are chosen again once the world is cleared, and put back with one that was kept', () => {
    const entities = openVenueFile(':memory:')
    open(entities, [ETH])
    const archive = openArchive(entities)
    archive.keep('one')
    archive.clear()
    expect(open(entities, [BTC, SOL]).symbols()).toEqual([BTC, SOL])
    archive.putBack('one')
    expect(open(entities, [BTC, SOL]).symbols()).toEqual([ETH])
  })

  test('are refused with the name of each that there is not', () => {
    expect([marketProblems(null), marketProblems([BTC, ETH])]).toEqual([[], []])
    const [line, ...others] = marketProblems([BTC, 'ETH', 'PERP_NONE_USDC'])
    expect(others).toEqual([])
    const start =
      'PREPD_VENUE_MARKETS: ETH, PERP_NONE_USDC is not among the markets: PERP_BTC_USDC, '
    expect(line).toStartWith(start)
    expect(() => open(openVenueFile(':memory:'), ['ETH'])).toThrow(RangeError)
  })
})

describe('the activity of a world', () => {
  const flowOf = ({ venue }: ReturnType<typeof open>) =>
    venue.exchange.simulation().engine.world.scenes[0]?.flow?.activity ?? null

  test('is the one that is named: of a market that is not small its rate, and no flow when it is sparse', () => {
    const each = (['sparse', 'calm', 'normal', 'busy'] as const).map((activity) =>
      flowOf(open(openVenueFile(':memory:'), [BTC], activity)),
    )
    expect(each).toEqual([null, 0.5, 1, 2])
  })

  test('stays that of a stored world, from its log alone and from its snapshot, and another is warned of', () => {
    const entities = openVenueFile(':memory:')
    const first = open(entities, [BTC], 'busy')
    const { engine } = first.venue.exchange.simulation()
    engine.submit('shock', { market: 0, share: 0.1 }, engine.world.nowMs)
    first.venue.exchange.commit()
    const logged = open(entities, [BTC], 'busy')
    expect([flowOf(logged), logged.warnings]).toEqual([2, []])
    logged.venue.exchange.save()
    const other = open(entities, [BTC], 'calm')
    expect([flowOf(other), other.warnings]).toEqual([2, ['venue_activity_kept']])
  })

  test('is sparse in a world from before it could be chosen', () => {
    const entities = openVenueFile(':memory:')
    open(entities, [BTC])
    const later = open(entities, [BTC], 'normal')
    expect([flowOf(later), later.warnings]).toEqual([null, ['venue_activity_kept']])
  })

  test('is chosen again once the world is cleared', () => {
    const entities = openVenueFile(':memory:')
    open(entities, [BTC], 'busy')
    openArchive(entities).clear()
    expect(flowOf(open(entities, [BTC], 'calm'))).toBe(0.5)
  })
})
