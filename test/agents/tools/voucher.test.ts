import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClient } from '../../../src/agents/client/client.ts'
import { narrowClient } from '../../../src/agents/client/narrow.ts'
import { VOUCHER_REFUSALS } from '../../../src/contract/voucher.ts'
import { openEmbeddedWorld, type ToolWorld } from '../tool-world.ts'

const HASH = `0x${'a1'.repeat(32)}`
const ASKED = { chain_id: 42_161, tx_hash: HASH }
const ISSUED = {
  status: 'issued',
  depositKey: '0x01',
  voucher: { amount: '1000000', recipient: '0xabc', validUntil: '1777500000' },
  domain: { chainId: 8453, verifyingContract: '0xdef' },
  primaryType: 'RedemptionVoucher',
  types: { RedemptionVoucher: [] },
  digest: '0x02',
  signature: '0x03',
  signer: '0x04',
}

let world: ToolWorld
beforeAll(async () => {
  world = await openEmbeddedWorld()
})
afterAll(() => world.stop())

/** The tool in front of a service that gives this answer, and what it was asked. */
function service(status: number, body: unknown, headers: Record<string, string> = {}) {
  const asked: unknown[] = []
  const client = createClient({
    baseUrl: 'http://localhost',
    nowMs: () => 0,
    transport: async (request) => {
      asked.push([request.method, new URL(request.url).pathname, await request.json()])
      return Response.json(body, { status, headers })
    },
  })
  return { asked, changes: { client: narrowClient(client) } }
}

describe('a voucher', () => {
  test('is asked for as the route takes it, and shown without what only wallets need', async () => {
    const { asked, changes } = service(200, ISSUED)
    const { primaryType: _, types: __, digest: ___, ...shown } = ISSUED
    const answer = await world.call('get_redemption_voucher', { ...ASKED, log_index: 3 }, changes)
    expect(answer).toEqual({ ...shown, next: expect.stringContaining('redeem') })
    expect(asked).toEqual([
      ['POST', '/api/relayer/voucher', { chainId: 42_161, txHash: HASH, logIndex: 3 }],
    ])
  })

  test('that is pending says when to ask again', async () => {
    const { asked, changes } = service(202, { status: 'pending', blocksRemaining: 2 })
    expect(await world.call('get_redemption_voucher', ASKED, changes)).toEqual({
      status: 'pending',
      blocksRemaining: 2,
      next: expect.stringContaining('15 s'),
    })
    expect(asked).toEqual([['POST', '/api/relayer/voucher', { chainId: 42_161, txHash: HASH }]])
  })

  const REFUSED = [
    ['several_deposits', 'invalid_request', false],
    ['unsupported_chain', 'unsupported_chain', false],
    ['unknown_transaction', 'not_found', false],
    ['under_review', 'account_restricted', false],
    ['no_deposit', 'venue_rejected', false],
    ['unreadable', 'upstream_unavailable', true],
    ['unavailable', 'not_configured', false],
  ] as const
  test.each(REFUSED)('%s is told in the route’s words, as %s', async (name, code, retryable) => {
    const { status, error } = VOUCHER_REFUSALS[name]
    const { changes } = service(status, { error }, { 'retry-after': '15' })
    const failure = await world.refused('get_redemption_voucher', ASKED, changes)
    expect(failure.message).toBe(error)
    expect(failure).toMatchObject({ code, retryable })
    expect(failure.meta).toEqual({ next: expect.any(String), retryAfterSeconds: 15 })
  })

  test('is limited like the route, with a code', async () => {
    const body = { code: 'rate_limited', error: 'x', meta: { retryAfterSeconds: 4 } }
    const { changes } = service(429, body)
    expect(await world.refused('get_redemption_voucher', ASKED, changes)).toMatchObject({
      code: 'rate_limited',
      retryable: true,
    })
  })

  test.each([{ tx_hash: HASH }, { chain_id: 0, tx_hash: HASH }, { chain_id: 1 }])(
    'is not asked for with %o',
    async (given) => {
      const { asked, changes } = service(200, ISSUED)
      const failure = await world.refused('get_redemption_voucher', given, changes)
      expect(failure.code).toBe('invalid_request')
      expect(asked).toEqual([])
    },
  )

  test('of a deployment without vouchers is not configured; no credentials are needed for that', async () => {
    const failure = await world.refused('get_redemption_voucher', ASKED, { credentials: null })
    expect(failure.code).toBe('not_configured')
    expect(world.sent.map(({ path }) => path)).not.toContain('/api/relayer/voucher')
  })
})
