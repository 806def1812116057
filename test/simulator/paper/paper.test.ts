import { describe, expect, test } from 'bun:test'
import { openOrderList } from '../../../src/simulator/book/open-orders.ts'
import { createEmbeddedVenue } from '../../../src/simulator/embedded.ts'
import type { ReadLiveWire } from '../../../src/simulator/mirror.ts'
import { paperRefusal } from '../../../src/simulator/paper.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { LOG, pass, START_MS, WALL_MS } from '../embedded-fixture.ts'
import {
  bestOf,
  ETH,
  known,
  MILLION,
  marketsOf,
  openKnown,
  openLive,
  openPaper,
  passBoth,
  taken,
  userOf,
  wireOf,
} from './fixture.ts'

/** A live wire that can be cut: then all its books are lost. */
function cuttable(begin: ReadLiveWire) {
  let cut: () => void = () => undefined
  const wire: ReadLiveWire = (sink) => {
    const { record, lost } = sink
    let isUp = true
    let read = begin({ ...sink, record: (each) => isUp && record(each) })
    cut = () => {
      isUp = !isUp
      read.stop()
      if (isUp) read = begin(sink)
      else lost(0)
    }
    return {
      checkMarks: () => isUp && read.checkMarks(),
      marksAtMs: () => read.marksAtMs(),
      stop: () => read.stop(),
    }
  }
  return { wire, cut: () => cut() }
}

describe('practice on a live market', () => {
  test('has its books, its mark and its funding', async () => {
    const { live, paper } = await openKnown()
    await passBoth(live, paper, 20_000)
    expect(bestOf(paper)).toEqual(bestOf(live))
    const [mine, theirs] = [paper, live].map(
      ({ exchange }) => exchange.simulation().engine.world.scenes[0],
    )
    expect(Math.abs((mine?.market.mark ?? 0) - (theirs?.market.mark ?? 0))).toBeLessThan(30)
    expect(mine?.nextFundingAtMs).toBe(theirs?.nextFundingAtMs ?? 0)
    expect(mine?.recordedRate).not.toBe(null)
    const { broken } = await paper.check()
    expect(broken).toEqual([])
  })

  test('fills what takes the mirrored book, whose next change shows none of it', async () => {
    const { live, paper } = await openKnown()
    const user = userOf(paper)
    user.fund(MILLION)
    const { ask } = bestOf(paper)
    const order = taken(user.place({ side: 'BUY', price: ask, quantity: 100, type: 'IOC' }))
    expect([order.status, order.executed]).toEqual(['FILLED', 100])
    await passBoth(live, paper, 10_000)
    expect(bestOf(paper)).toEqual(bestOf(live))
  })

  test('refuses orders while the live book is away, and fills nothing that rests', async () => {
    const live = openLive()
    const { wire, cut } = cuttable(wireOf(live))
    const { paper } = await openPaper(live, { read: wire })
    await known(live, paper)
    const user = userOf(paper)
    user.fund(MILLION)
    const { bid } = bestOf(paper)
    const resting = taken(user.place({ side: 'BUY', price: bid - 2, quantity: 100, type: 'LIMIT' }))
    cut()
    await passBoth(live, paper, 200)
    expect(paper.mirror?.state()).toMatchObject({ markets: 1, known: 0 })
    const marked = paper.exchange.simulation().engine.world.scenes[0]?.market.mark
    const refused = user.place({ side: 'BUY', price: bid + 500, quantity: 100, type: 'IOC' })
    expect(refused instanceof Rejection && refused.refusal).toBe('away')
    await passBoth(live, paper, 60_000)
    expect([resting.status, resting.executed]).toEqual(['NEW', 0])
    expect(paper.exchange.simulation().engine.world.scenes[0]?.market.mark).toBe(marked ?? 0)
    expect(user.cancel(resting)).toBe(null)
    cut()
    await known(live, paper)
    await passBoth(live, paper, 5000)
    expect(bestOf(paper)).toEqual(bestOf(live))
    expect(
      taken(user.place({ side: 'BUY', price: bestOf(paper).ask, quantity: 100, type: 'IOC' }))
        .executed,
    ).toBe(100)
  })

  // Slow: a venue is opened again after its orders have traded.
  test('notices by time that marks are missing, also where no message comes', async () => {
    const { live, paper } = await openKnown()
    await passBoth(live, paper, 1000)
    // The clock goes on, and the live venue sends nothing.
    live.time.advance?.(24_000)
    paper.mirror?.step()
    expect(paper.mirror?.state().known).toBe(1)
    live.time.advance?.(2000)
    paper.mirror?.step()
    expect(paper.mirror?.state().known).toBe(0)
  })

  test('keeps accounts over a restart, and takes the book anew', async () => {
    const { live, paper, entities } = await openKnown()
    const user = userOf(paper)
    user.fund(MILLION)
    taken(user.place({ side: 'BUY', price: bestOf(paper).ask, quantity: 100, type: 'IOC' }))
    const { bid } = bestOf(paper)
    taken(user.place({ side: 'BUY', price: bid - 4000, quantity: 70, type: 'LIMIT' }))
    await passBoth(live, paper, 30_000)
    paper.mirror?.stop()
    pass(live, 30_000, 100)
    const again = (await openPaper(live, { entities, markets: null })).paper
    expect(again.mirror?.state()).toMatchObject({ markets: 1, known: 0, unopened: [ETH] })
    await known(live, again)
    expect(again.mirror?.state()).toMatchObject({ known: 1, unopened: [] })
    await passBoth(live, again, 5000)
    const { account } = userOf(again)
    expect(account.marketAccounts.get(0)?.quantity).toBe(100)
    expect(openOrderList(account).map(({ quantity }) => quantity)).toEqual([70])
    expect(bestOf(again)).toEqual(bestOf(live))
    expect((await again.check()).broken).toEqual([])
  })

  test('needs the live markets at its first start alone, and another world for markets of its own', async () => {
    const live = openLive()
    await expect(openPaper(live, { markets: null })).rejects.toThrow(
      'the live venue has no markets',
    )
    const { entities } = await openPaper(live)
    expect(paperRefusal(entities, null)).toContain('PREPD_VENUE=paper')
    expect(paperRefusal(entities, { stream: '', markets: null })).toBe(null)
    const own = openVenueFile(':memory:')
    createEmbeddedVenue({
      ...{ seed: 1, markets: [ETH], pricesCsv: null, time: 'virtual', startMs: START_MS },
      ...{ faucet: 0n, entities: own, log: LOG, monotonicMs: () => 0 },
      ...{ tape: null, paper: null, activity: 'sparse' },
      wallClock: { nowMs: () => WALL_MS },
    })
    expect(paperRefusal(own, { stream: '', markets: null })).toContain('PREPD_VENUE=embedded')
    expect(paperRefusal(own, null)).toBe(null)
    expect(paperRefusal(openVenueFile(':memory:'), { stream: '', markets: null })).toBe(null)
    expect((await marketsOf(live)).length).toBe(1)
  })
})
