import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeJournal } from '../../src/agents/audit.ts'
import { recordEach } from '../../src/agents/journal-shares.ts'
import type { ToolContext } from '../../src/agents/tool.ts'
import { type AgentJournal, type BegunWrite, newestWrites } from '../../src/core/agent-journal.ts'
import { Failure } from '../../src/core/failure.ts'
import { verifyJournal } from '../../src/core/journal-verdict.ts'
import { openAgentFile } from '../../src/store/agent-file.ts'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from './tool-world.ts'

const ETH = 'PERP_ETH_USDC'
const CLOCK = { nowMs: () => 1_700_000_000_000 }
const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 0.02 }
const UNAVAILABLE = new Failure('store_unavailable')

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

/** The newest entries of a journal, the oldest first. */
async function entriesOf(journal: AgentJournal, rowsMax: number): Promise<readonly object[]> {
  const entries = await journal.before(null, rowsMax)
  return entries.toReversed().map(({ text }) => JSON.parse(text))
}

/** A journal that refuses entries from a number on. */
function failingFrom(
  number: number,
): Pick<ToolContext, 'journal'> & { readonly kept: AgentJournal } {
  const kept = openAgentFile(':memory:').agentJournal
  let asked = 0
  const append: AgentJournal['append'] = async (text) => {
    asked += 1
    if (asked >= number) throw UNAVAILABLE
    return kept.append(text)
  }
  const record = recordEach({ append }, CLOCK)
  return { kept, journal: writeJournal({ record, isProven: async () => true }) }
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

describe('a write of an agent', () => {
  test('is recorded before it is sent, with its limits and the digest of its call, and again with its outcome', async () => {
    const sentWhenBegun: number[] = []
    const from = world.sent.length
    const journal: ToolContext['journal'] = {
      begin: (write: BegunWrite) => {
        sentWhenBegun.push(world.sent.slice(from).filter(({ method }) => method === 'POST').length)
        return writeJournal({
          record: recordEach(world.journal, CLOCK),
          isProven: async () => true,
        }).begin(write)
      },
    }
    const limits = { maxOrderUsdc: 60_500_000n, symbols: [ETH] }
    const [sent] = await writesDuring(world, () =>
      world.call('place_order', { ...BUY, client_order_id: 'mine-1' }, { limits, journal }),
    )
    expect(sentWhenBegun).toEqual([0])
    const [begun, ended] = await entriesOf(world.journal, 2)
    expect(begun).toEqual({
      atMs: CLOCK.nowMs(),
      account: expect.stringMatching(/^0x[0-9a-f]{4}…[0-9a-f]{4}$/),
      tool: 'place_order',
      limits: { maxOrderUsdc: '60.5', symbols: [ETH] },
      digest: sha256(`POST/v1/order${sent?.body}`),
    })
    expect(ended).toEqual({ atMs: CLOCK.nowMs(), of: expect.any(Number), outcome: 'ok' })
    const text = JSON.stringify([begun, ended])
    expect(text).not.toContain('mine-1')
    expect(text).not.toContain(world.credentials.accountId)
    expect(text).not.toContain(Buffer.from(world.credentials.secret).toString('hex'))
  })

  test('that is refused by a limit or the venue shows why', async () => {
    const limits = { maxOrderUsdc: 1_000_000n }
    await world.refused('place_order', BUY, { limits })
    await world.refused('place_order', { ...BUY, order_quantity: 200 })
    const outcomes = (await newestWrites(world.journal, 2)).map(({ outcome }) => outcome)
    expect(outcomes).toEqual(['insufficient_margin', 'mandate_exceeded'])
  })

  test.each([
    ['set_leverage', { symbol: ETH, leverage: 3 }],
    ['cancel_all_orders', { symbol: ETH }],
    ['cancel_all_orders', {}],
    ['standby', { action: 'arm' }],
    ['standby', { action: 'withdraw' }],
    ['close_position', { symbol: ETH }],
  ])('is recorded of %s', async (tool, args) => {
    await world.call(tool, args)
    const [write] = await newestWrites(world.journal, 1)
    expect(write).toMatchObject({
      tool,
      outcome: 'ok',
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('is not recorded of a read, a preview, or a refusal before anything would be sent', async () => {
    const { newest } = await world.journal.bounds()
    await world.call('get_account')
    await world.call('preview_order', BUY)
    await world.call('standby', { action: 'show' })
    await world.refused('place_order', BUY, { limits: { readOnly: true } })
    await world.refused('cancel_order', { order_id: 1, symbol: 'PERP_NONE_USDC' })
    expect((await world.journal.bounds()).newest).toEqual(newest)
  })

  test('is not sent where it cannot be recorded', async () => {
    const { journal } = failingFrom(1)
    for (const [tool, args] of [
      ['place_order', BUY],
      ['set_leverage', { symbol: ETH, leverage: 2 }],
      ['standby', { action: 'withdraw' }],
    ] as const) {
      const writes = await writesDuring(world, async () => {
        const failure = await world.refused(tool, args, { journal })
        expect(failure).toMatchObject({ code: 'store_unavailable', retryable: true })
      })
      expect(writes).toEqual([])
    }
  })

  test('is sent all the same when it cancels: a full disk keeps nobody from getting out', async () => {
    const { journal } = failingFrom(1)
    const writes = await writesDuring(world, () =>
      world.call('cancel_all_orders', { include_algo: false }, { journal }),
    )
    expect(writes).toMatchObject([{ method: 'DELETE', path: '/v1/orders' }])
  })

  test('has its answer, and goes on showing as unknown, when its outcome cannot be recorded', async () => {
    const { journal, kept } = failingFrom(2)
    expect(
      await world.call('set_leverage', { symbol: ETH, leverage: 4 }, { journal }),
    ).toBeDefined()
    expect(await newestWrites(kept, 9)).toMatchObject([
      { tool: 'set_leverage', outcome: 'unknown' },
    ])
    expect(await verifyJournal(kept, null)).toMatchObject({ sound: true, entries: 1 })
  })

  test('of a key that the venue has not accepted is recorded afterwards, once it has, and else never', async () => {
    const write = {
      atMs: CLOCK.nowMs(),
      account: '0x1212…1212',
      tool: 'cancel_order',
      limits: {},
      digest: 'd',
    }
    for (const isAccepted of [false, true]) {
      const journal = openAgentFile(':memory:').agentJournal
      let isProven = false
      const settle = await writeJournal({
        record: recordEach(journal, CLOCK),
        isProven: async () => isProven,
      }).begin(write)
      expect((await journal.bounds()).newest.sequence).toBe(0)
      isProven = isAccepted
      await settle('ok')
      const shown = isAccepted ? [{ ...write, sequence: 1, outcome: 'ok' }] : []
      expect(await newestWrites(journal, 9)).toEqual(shown)
    }
  })
})
