import { describe, expect, test } from 'bun:test'
import { FAULT_LIMITS } from '../../../../src/contract/venue/faults.ts'
import type { VenueResponse } from '../../../../src/simulator/messages/message.ts'
import { faultFront } from '../../../../src/simulator/server/faults/front.ts'
import { type FaultTerms, openFaults } from '../../../../src/simulator/server/faults/rules.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'

const ANSWER: VenueResponse = { status: 200, headers: {}, body: '{"success":true}' }

function fixture(seed = 1) {
  const entities = openVenueFile(':memory:')
  let nowMs = 1000
  let asked = 0
  const sleeps: number[] = []
  const open = () => openFaults({ seed, clock: { nowMs: () => nowMs }, entities })
  let faults = open()
  let door = behind()

  function behind() {
    const answer = async () => {
      asked += 1
      return ANSWER
    }
    return faultFront(answer, {
      faults,
      sleep: async (ms) => void sleeps.push(ms),
      cancelSilently: () => undefined,
    })
  }

  return {
    faults,
    sleeps,
    reopened: open,
    /** As after a kill: nothing is left but the store. */
    restart: () => {
      faults = open()
      door = behind()
    },
    asked: () => asked,
    pass: (ms: number) => {
      nowMs += ms
    },
    add: (terms: FaultTerms) => faults.add(terms, nowMs),
    call: (path = '/v1/order') => door({ method: 'POST', path, headers: {} }),
  }
}

async function brokenIn(stage: ReturnType<typeof fixture>, calls: number): Promise<number[]> {
  const broken: number[] = []
  for (let call = 0; call < calls; call++) {
    if ('broken' in (await stage.call())) broken.push(call)
  }
  return broken
}

describe('the faults of a wire', () => {
  test('come with their probability, the same for the same seed, others for another', async () => {
    const [one, same, other] = [fixture(1), fixture(1), fixture(2)]
    for (const stage of [one, same, other]) stage.add({ kind: 'reset-before', probability: 0.3 })
    const broken = await brokenIn(one, 1000)
    expect(broken.length).toBeGreaterThan(250)
    expect(broken.length).toBeLessThan(350)
    expect(await brokenIn(same, 1000)).toEqual(broken)
    expect(await brokenIn(other, 1000)).not.toEqual(broken)
    expect(one.asked()).toBe(1000 - broken.length)
  })

  test('act on the paths that they name, whatever the query', async () => {
    const stage = fixture()
    stage.add({ kind: 'reset-before', path: '/v1/*order*' })
    const isBroken = async (path: string) => 'broken' in (await stage.call(path))
    expect(await isBroken('/v1/order?order_id=1')).toBe(true)
    expect(await isBroken('/v1/batch-order')).toBe(true)
    expect(await isBroken('/v1/positions?path=/v1/order')).toBe(false)
    expect(await isBroken('/v1xorder')).toBe(false)
  })

  test('end after their count, at their time of the venue’s clock, and when they are cleared', async () => {
    const stage = fixture()
    stage.add({ kind: 'reset-before', count: 3 })
    expect(await brokenIn(stage, 10)).toEqual([0, 1, 2])
    expect(stage.faults.list()).toEqual([])
    stage.add({ kind: 'reset-before', for: 60_000 })
    stage.pass(59_999)
    expect(await brokenIn(stage, 2)).toEqual([0, 1])
    stage.pass(1)
    expect(await brokenIn(stage, 2)).toEqual([])
    stage.add({ kind: 'reset-before' })
    stage.faults.clear()
    expect(await brokenIn(stage, 2)).toEqual([])
  })

  test('outlive a restart, and are bounded in number', () => {
    const stage = fixture()
    for (let count = 0; count < FAULT_LIMITS.rulesMax; count++)
      expect(stage.add({ kind: 'busy', path: `/v1/${count}` })).not.toBeNull()
    expect(stage.add({ kind: 'busy' })).toBeNull()
    expect(stage.reopened().list()).toEqual(stage.faults.list())
    stage.faults.clear()
    expect(stage.reopened().list()).toEqual([])
  })

  test('go on over a kill with the draw, the delay and the count that would have come next', async () => {
    const laid: readonly FaultTerms[] = [
      { kind: 'delay', ms: 100, sigma: 1, probability: 0.5 },
      { kind: 'reset-before', probability: 0.2, count: 9 },
    ]
    const [whole, killed] = [fixture(), fixture()]
    for (const terms of laid) for (const stage of [whole, killed]) stage.add(terms)
    const broken: number[] = []
    for (let turn = 0; turn < 20; turn++) {
      broken.push(...(await brokenIn(killed, 5)).map((call) => turn * 5 + call))
      killed.restart()
    }
    expect(broken).toHaveLength(9)
    expect(broken).toEqual(await brokenIn(whole, 100))
    expect(killed.sleeps).toEqual(whole.sleeps)
    expect(new Set(killed.sleeps).size).toBeGreaterThan(30)
  })

  test('of delays are added up, fixed or lognormal around their time, before the venue is asked', async () => {
    const stage = fixture()
    stage.add({ kind: 'delay', ms: 100 })
    stage.add({ kind: 'delay', ms: 30 })
    await stage.call()
    expect(stage.sleeps).toEqual([130])
    stage.faults.clear()
    stage.add({ kind: 'delay', ms: 100, sigma: 1 })
    for (let call = 0; call < 500; call++) await stage.call()
    const delays = stage.sleeps.slice(1).sort((a, b) => a - b)
    const median = delays[250] ?? 0
    expect(median).toBeGreaterThan(80)
    expect(median).toBeLessThan(125)
    // One in forty of a lognormal time of sigma 1 is more than seven times its median.
    expect(delays.at(-12) ?? 0).toBeGreaterThan(400)
  })
})
