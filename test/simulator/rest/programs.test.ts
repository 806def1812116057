import { describe, expect, test } from 'bun:test'
import { isObject } from '../../../src/core/json.ts'
import { openAffiliates } from '../../../src/simulator/programs/affiliates/affiliates.ts'
import { allParticipants } from '../../../src/simulator/programs/participants.ts'
import { campaignRows } from '../../../src/simulator/rest/programs/campaigns.ts'
import { rewardRows } from '../../../src/simulator/rest/programs/rewards.ts'
import { stakingRows } from '../../../src/simulator/rest/programs/staking.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import SHAPES from '../../vectors/venue-program-shapes.json'
import { differences, NOW_MS, openWorld } from '../feed/calls.ts'

const { exchange } = openWorld()
const affiliates = openAffiliates(openVenueFile(':memory:'))
const rows = [
  ...rewardRows(exchange),
  ...campaignRows({ exchange, affiliates }),
  ...stakingRows(exchange),
]
exchange.advance(NOW_MS)

function get(path: string, query: Readonly<Record<string, string>> = {}) {
  const row = rows.find((each) => each.path === path)
  const call = { params: {}, query: new URLSearchParams(query), body: '', accountId: '' }
  return JSON.parse(JSON.stringify(row?.answer({ ...call, nowMs: NOW_MS })))
}

const STAGE = { stage: '1', period: 'all_time' }
const [LEADER] = get('/v1/public/points/rankings', STAGE).rows
const OF_LEADER = { address: LEADER.address, campaign_id: '1' }

const QUERIES: Readonly<Record<string, Record<string, string>>> = {
  '/v1/public/points/stages': { broker_id: 'demo' },
  '/v1/public/points/rankings': STAGE,
  '/v1/public/campaign/check': { ...OF_LEADER, type: 'volume', lower_boundary: '1' },
  '/v1/staking/esorder/vesting_list': { ...OF_LEADER, is_vesting: 'true' },
}

/** Where an answer has a list without anything in it. */
function emptyLists(value: unknown, at = 'data'): string[] {
  if (Array.isArray(value))
    return value.length === 0 ? [at] : value.flatMap((each) => emptyLists(each, `${at}[]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => emptyLists(inner, `${at}.${name}`))
}

describe('the rows of the programs', () => {
  test.each(Object.entries(SHAPES))(
    'answer %s with exactly the fields of the wire, and with rows from the first day on',
    (path, shape) => {
      const answer = get(path, QUERIES[path] ?? OF_LEADER)
      expect(differences(answer, shape)).toEqual([])
      expect(emptyLists(answer)).toEqual([])
    },
  )

  test('are the documented ones, open to all, each once', () => {
    expect(rows.map(({ path }) => path).sort()).toEqual(Object.keys(SHAPES).sort())
    expect(rows.filter(({ scope, method }) => scope !== 'none' || method !== 'GET')).toEqual([])
  })

  test('list totals that are the sums over wallets', () => {
    const { rows: ranked, meta } = get('/v1/public/points/rankings', {
      ...STAGE,
      stage: '2',
      size: '500',
    })
    expect(meta.total).toBeGreaterThan(50)
    const points = ranked.map((row: { total_points: number }) => row.total_points)
    expect(points).toEqual(points.toSorted((a: number, b: number) => b - a))
    const wallets = new Set(allParticipants(exchange, NOW_MS).map(({ address }) => address))
    const staked = [...wallets].reduce((sum, address) => {
      const { total_staked_balance: own } = get('/v1/staking/balance', { address })
      return sum + Math.round(own * 1e6)
    }, 0)
    expect(staked).toBe(Math.round(get('/v1/staking/overview').total_stake * 1e6))
  })

  test('know public accounts by their addresses, and every one once', () => {
    const merits = get('/v1/client/points', OF_LEADER)
    const total = merits.rows.reduce((sum: number, row: { points: number }) => sum + row.points, 0)
    expect(total).toBe(merits.total_points)
    expect(merits.tier).toBeWithin(3, 6)
    expect(get('/v1/public/campaigns', OF_LEADER).rows.length).toBeGreaterThan(0)
  })

  // Slow: two worlds are made, each with its past.
  test('are the same when another world is made of the same seed, and others of another', () => {
    const again = (seed: number) => {
      const made = stakingRows(openWorld(seed).exchange)
      const row = made.find(({ path }) => path === '/v1/staking/overview')
      const call = { params: {}, query: new URLSearchParams(), body: '', accountId: '' }
      return JSON.parse(JSON.stringify(row?.answer({ ...call, nowMs: NOW_MS })))
    }
    expect(again(1)).toEqual(get('/v1/staking/overview'))
    expect(again(2).rows).not.toEqual(get('/v1/staking/overview').rows)
  })
})
