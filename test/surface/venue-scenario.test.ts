// Slow: each scenario that ships is lived through by an executable.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAILURES } from '../../src/contract/failures.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { openTarget, type Target } from '../target.ts'
import { spawnPrepd } from './spawned.ts'
import { OPERATOR_KEY, runCommand } from './venue-fixture.ts'
import { newUser } from './wallets.ts'

const scenario = (name: string) =>
  new URL(`../../config/scenarios/${name}.txt`, import.meta.url).pathname

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
type Shown = any

/** A figure that everybody can see, which a scenario lets grow between two moments. */
const SEEN: readonly {
  readonly name: string
  readonly by: readonly string[]
  readonly path: string
  readonly figure: (answer: Shown) => number
}[] = [
  {
    name: 'crash',
    by: ['30m', '3m'],
    path: 'op/liquidations.history?size=500',
    figure: ({ rows }) => rows.filter(({ type }: Shown) => type === 'adl').length,
  },
  {
    name: 'squeeze',
    by: ['30m', '25m'],
    path: 'op/liquidations.history?size=500&symbol=PERP_ETH_USDC',
    figure: ({ rows }) =>
      rows.filter((row: Shown) => row.positions_by_perp[0].position_qty < 0).length,
  },
  {
    name: 'delisting',
    by: ['5m', '120m'],
    path: 'markets',
    figure: ({ markets }) =>
      -markets.filter(({ symbol }: Shown) => symbol === 'PERP_SUI_USDC').length,
  },
]

describe('the outage that ships', () => {
  let target: Target
  let user: TestCaller
  beforeAll(async () => {
    target = await openTarget('compiled binary', {
      OPERATOR_KEY,
      LIMIT_ADMIN: 'off',
      VENUE_CLOCK: 'virtual',
      VENUE_SCENARIO: scenario('outage'),
    })
    user = await newUser(target)
  })
  afterAll(() => target.stop())

  async function relay(signed: object) {
    const response = await target.fetch('/api/prep/relay', jsonPost(signed))
    const body = Object(await response.json())
    return { outcome: response.ok ? 'done' : String(body.code), body }
  }

  function order(name: string) {
    const terms = { side: 'BUY', order_type: 'LIMIT', order_price: 2000, order_quantity: 0.01 }
    const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', ...terms, client_order_id: name })
    return envelope(user, { method: 'POST', path: '/v1/order', body })
  }

  test('is answered from the closed list, doubles no order, and is over after half an hour', async () => {
    const outcomes = new Map<string, string>()
    for (let minute = 0; minute < 30; minute++) {
      for (let turn = 0; turn < 2; turn++) {
        const name = `m${minute}-${turn}`
        const signed = order(name)
        const first = await relay(signed)
        const again = await relay(signed)
        if (first.outcome === 'outcome_unknown') expect(again.outcome).toBe('outcome_unknown')
        outcomes.set(name, first.outcome)
      }
      await runCommand(target, 'clock/advance', { by: '1m' })
    }
    const answers = new Set(outcomes.values())
    expect([...answers].filter((code) => code !== 'done' && !(code in FAILURES))).toEqual([])
    expect(answers).toContain('outcome_unknown')
    expect(outcomes.get('m0-0')).toBe('done')
    await runCommand(target, 'clock/advance', { by: '1m' })
    expect((await relay(order('after'))).outcome).toBe('done')
    const read = envelope(user, { method: 'GET', path: '/v1/orders?size=500' })
    const { rows } = (await relay(read)).body
    const names: string[] = rows.map((row: { client_order_id: string }) => row.client_order_id)
    expect(new Set(names).size).toBe(names.length)
    for (const [name, code] of outcomes) if (code === 'done') expect(names).toContain(name)
    expect(names.length).toBeLessThan(outcomes.size)
    expect((await runCommand(target, 'check')).body).toMatchObject({ broken: [] })
    expect(target.log()).not.toMatch(/"crash"|panic/)
  })
})

describe('a scenario that ships', () => {
  test.each([...SEEN])(
    '$name shows on the public surface, and leaves the books sound',
    async (row) => {
      const settings = { OPERATOR_KEY, LIMIT_ADMIN: 'off', VENUE_CLOCK: 'virtual' }
      const target = await openTarget('compiled binary', {
        ...settings,
        VENUE_SCENARIO: scenario(row.name),
      })
      const seen: number[] = []
      for (const by of row.by) {
        expect((await runCommand(target, 'clock/advance', { by })).status).toBe(200)
        expect((await runCommand(target, 'check')).body).toMatchObject({ broken: [] })
        seen.push(row.figure(await (await target.fetch(`/api/prep/${row.path}`)).json()))
      }
      expect(seen[1]).toBeGreaterThan(seen[0] ?? 0)
      await target.stop()
    },
  )
})

describe('a scenario that cannot be read', () => {
  test('is refused at the start with its line and column, and nothing is opened', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prepd-scenario-'))
    const path = join(folder, 'bad.txt')
    writeFileSync(path, '0s hash\n5s price shock symbol=all share=lots\n')
    for (const [file, expected] of [
      [path, /line 2, column 27: share must be a share/],
      [join(folder, 'none.txt'), /names a file that cannot be read/],
    ] as const) {
      const settings = { VENUE_SCENARIO: file, DATA_DIR: join(folder, 'data') }
      const { code, stderr, stdout } = await spawnPrepd({ settings }).ended()
      expect([code, stdout]).toEqual([64, ''])
      expect(stderr).toMatch(expected)
    }
    expect(await Bun.file(join(folder, 'data', 'prepd.sqlite')).exists()).toBe(false)
    rmSync(folder, { recursive: true })
  })
})
