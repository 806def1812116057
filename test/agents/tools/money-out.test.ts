import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClient } from '../../../src/agents/client/client.ts'
import { typedDataDigest } from '../../../src/core/crypto/typed-data.ts'
import { signDigest } from '../../../src/core/crypto/wallet-signature.ts'
import { fromHex } from '../../../src/core/hex.ts'
import { openTemporaryAccount } from '../../../src/operator/account/open.ts'
import wire from '../../vectors/tools-wire.json'
import { openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const CHAIN_ID = 42_161
/** Keys live by the clock of the service. */
const NOW = { clock: { nowMs: Date.now } }

let world: ToolWorld
let owner: Awaited<ReturnType<typeof openTemporaryAccount>>

beforeAll(async () => {
  world = await openEmbeddedWorld()
  const client = createClient({
    baseUrl: 'http://localhost',
    nowMs: Date.now,
    transport: async ({ url, method, headers, body }) =>
      world.fetch(url.slice('http://localhost'.length), {
        ...{ method, headers },
        ...(body && { body: await new Response(body).text() }),
      }),
  })
  owner = await openTemporaryAccount(client, {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  })
})
afterAll(() => world.stop())

const asked = () => ({ amount: 25.5, chain_id: CHAIN_ID, wallet: owner.wallet.address })
const withdraw = (args: object) =>
  world.call('request_withdrawal', args, { ...NOW, credentials: owner })
const refused = (args: object) =>
  world.refused('request_withdrawal', args, { ...NOW, credentials: owner })

/** As a wallet does: signs the document and nothing else. */
function signed(document: string, secret: Uint8Array): string {
  const { domain, message } = JSON.parse(document)
  return signDigest(typedDataDigest('Withdraw', message, domain), secret)
}

async function holding() {
  const account = await world.call('get_account', {}, { credentials: owner })
  return account.holdings[0].holding
}

/** The refusal of a withdrawal while the reads of these paths answer changed members. */
function refusedWhile(changes: Readonly<Record<string, object>>, args: object) {
  const { relay } = world.client
  const client: typeof world.client = {
    ...world.client,
    relay: async (credentials, call) => {
      const answer = Object(await relay(credentials, call))
      return { ...answer, ...changes[call.path] }
    },
  }
  return world.refused('request_withdrawal', args, { ...NOW, credentials: owner, client })
}

test('a withdrawal is not prepared while the holding of the account cannot be read', async () => {
  const unknown = { holding: [{ token: 'USDC', holding: 'unknown' }] }
  const failure = await refusedWhile({ '/v1/client/holding': unknown }, asked())
  expect(failure).toMatchObject({ code: 'upstream_unavailable' })
  expect(failure.meta.next).toContain('unknown')
})

test.each([
  ['the free collateral, while unsettled PnL alone is unknown', 40],
  ['the holding, while the free collateral is unknown too', null],
])('a refused withdrawal names as its maximum %s', async (_, free_collateral) => {
  const figures = { free_collateral, total_unsettled_pnl: null }
  const [position] = wire['GET /v1/positions'].data.rows
  const row = { ...position, unsettled_pnl: null }
  const changes = { '/v1/client/info': figures, '/v1/positions': { ...figures, rows: [row] } }
  const failure = await refusedWhile(changes, { ...asked(), amount: 1e9 })
  expect(failure.code).toBe('amount_too_high')
  expect(failure.meta.maximum).toBe(free_collateral ?? (await holding()))
})

describe('a withdrawal', () => {
  test('moves nothing until the wallet has signed, and then what was shown', async () => {
    const before = await holding()
    let prepared: Awaited<ReturnType<typeof withdraw>>
    const writes = await writesDuring(world, async () => {
      prepared = await withdraw(asked())
      expect(prepared).toMatchObject({ moved: false, fee_usdc: 1 })
    })
    expect(writes).toEqual([])
    expect(await holding()).toBe(before)
    const { message, primaryType } = JSON.parse(prepared.typed_data)
    expect(primaryType).toBe('Withdraw')
    expect(message).toMatchObject({ amount: '25500000', receiver: owner.wallet.address })
    const signature = signed(prepared.typed_data, owner.wallet.secret)
    const sent = await withdraw({ ...prepared.send, signature })
    expect(sent).toMatchObject({
      practice: expect.stringContaining('no real money'),
      moved: true,
      withdraw_id: expect.any(Number),
    })
    expect(await holding()).toBeLessThan(before)
    const { rows } = await world.call(
      'list_account_history',
      { kind: 'deposits_withdrawals' },
      { credentials: owner },
    )
    expect(rows[0]).toMatchObject({ side: 'WITHDRAW', amount: 25.5 })
  })

  test('is refused when another wallet signed it, or another amount, and nothing moves', async () => {
    const before = await holding()
    const prepared = await withdraw(asked())
    const other = crypto.getRandomValues(new Uint8Array(32))
    const foreign = signed(prepared.typed_data, other)
    const own = signed(prepared.typed_data, owner.wallet.secret)
    expect(await refused({ ...prepared.send, signature: foreign })).toBeInstanceOf(Error)
    expect(await refused({ ...prepared.send, amount: 26, signature: own })).toBeInstanceOf(Error)
    expect(await holding()).toBe(before)
  })

  test.each([
    ['signature', { signature: '0x12' }],
    ['nonce', { signature: `0x${'1'.repeat(130)}` }],
    ['amount', { amount: 0.0000001 }],
    ['chain_id', { chain_id: 3 }],
    ['wallet', { wallet: 'mine' }],
  ])('with a wrong %s is refused before anything is sent', async (parameter, wrong) => {
    const writes = await writesDuring(world, async () => {
      expect((await refused({ ...asked(), ...wrong })).meta).toMatchObject({ parameter })
    })
    expect(writes).toEqual([])
  })

  test('is not for whoever may only read', async () => {
    const limits = { readOnly: true }
    const failure = await world.refused('request_withdrawal', asked(), { limits })
    expect(failure.code).toBe('mandate_exceeded')
  })
})

test('the trading key alone sends no withdrawal, whatever a tool asks for', async () => {
  const { narrowClient } = await import('../../../src/agents/client/narrow.ts')
  const client = narrowClient(world.client)
  const writes = await writesDuring(world, async () => {
    for (const signature of [undefined, '', '0x12', fromHex('00')]) {
      const body = JSON.stringify({ message: {}, signature })
      const call = { method: 'POST', path: '/v1/withdraw_request', body } as const
      await expect(client.consented(owner, call)).rejects.toMatchObject({ code: 'forbidden' })
      await expect(client.relay(owner, call)).rejects.toMatchObject({ code: 'forbidden' })
    }
    const unlisted = { method: 'POST', path: '/v1/internal_transfer', body: '{}' } as const
    await expect(client.consented(owner, unlisted)).rejects.toMatchObject({ code: 'forbidden' })
  })
  expect(writes).toEqual([])
})
