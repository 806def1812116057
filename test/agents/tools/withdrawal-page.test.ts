// Slow: a service and an agent server are executables that start.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createClient } from '../../../src/agents/client/client.ts'
import { remoteTransport } from '../../../src/agents/client/remote.ts'
import { typedDataDigest } from '../../../src/core/crypto/typed-data.ts'
import { signDigest } from '../../../src/core/crypto/wallet-signature.ts'
import { toHex } from '../../../src/core/hex.ts'
import { type Opened, openTemporaryAccount } from '../../../src/operator/account/open.ts'
import { openTarget } from '../../target.ts'
import { repliesIn, runStdio, urlOf } from '../binary.ts'
import { post, request, toolText } from '../rpc.ts'
import { bought, ETH } from '../tasks/task.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld, writesDuring } from '../tool-world.ts'

const CHAIN_ID = 42_161
const OTHER = `0x${'22'.repeat(20)}`
const NOW = { clock: { nowMs: Date.now } }
const OVER_HTTP = { ...NOW, pageOrigin: 'https://perps.example' }

let service: ToolWorld
beforeAll(async () => {
  service = await openEmbeddedWorld()
})
afterAll(() => service.stop())

function walletOf({ credentials }: ToolWorld): Opened['wallet'] {
  return Object(credentials).wallet
}

function asked(world: ToolWorld, more: object = {}) {
  return { amount: 25.5, chain_id: CHAIN_ID, wallet: walletOf(world).address, ...more }
}

describe('the page on which a wallet signs a withdrawal', () => {
  test('is named where the address of the service is known, with what is to be entered there', async () => {
    const prepared = await service.call('request_withdrawal', asked(service), OVER_HTTP)
    expect(prepared).toMatchObject({
      page: 'https://perps.example/trade/withdraw',
      ...{ amount: 25.5, fee_usdc: 1, arrives_usdc: 24.5 },
      receiver: walletOf(service).address,
      next: expect.stringContaining('page'),
    })
  })

  test('is said to be unknown where it is, and is not named for a receiver that it does not send to', async () => {
    const unknown = await service.call('request_withdrawal', asked(service), NOW)
    expect(unknown).toMatchObject({ page: null, next: expect.stringContaining('No page') })
    const foreign = asked(service, { receiver: OTHER })
    const { page, receiver, next } = await service.call('request_withdrawal', foreign, OVER_HTTP)
    expect({ page, receiver }).toEqual({ page: null, receiver: OTHER })
    expect(next).toContain('not to this receiver')
  })

  test.each([
    ['on', true],
    ['off', false],
  ])(
    'is at the origin by which a caller over HTTP came, where the trading page is %s',
    async (PAGE, isServed) => {
      const world = await openEmbeddedWorld({ PAGE })
      const { accountId, secret } = world.credentials
      const headers = {
        host: 'localhost:8080',
        'x-account-id': accountId,
        'x-trading-key': toHex(secret),
      }
      const call = { name: 'request_withdrawal', arguments: asked(world) }
      const { json } = await post(Object(world), request('tools/call', call), headers)
      const { page } = Object(toolText(json).value)
      expect(page).toBe(isServed ? 'http://localhost:8080/trade/withdraw' : null)
      const { status } = await world.fetch('/trade/withdraw')
      expect(status === 404).toBe(!isServed)
      await world.stop()
    },
  )
})

test('over stdio the page is at the address of the service', async () => {
  const target = await openTarget('compiled binary')
  const url = await urlOf(target)
  const client = createClient({ baseUrl: url, nowMs: Date.now, transport: remoteTransport(fetch) })
  const random = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) }
  const { accountId, secret, wallet } = await openTemporaryAccount(client, { ...NOW, random })
  const args = { amount: 25.5, chain_id: CHAIN_ID, wallet: wallet.address }
  const call = request('tools/call', { name: 'request_withdrawal', arguments: args })
  const env = { SERVICE_ACCOUNT_ID: accountId, SERVICE_TRADING_KEY: toHex(secret) }
  const [reply] = repliesIn(await runStdio([call], { ...env, SERVICE_API_URL: `${url}/mcp` }))
  const { page } = Object(toolText(reply).value)
  expect(page).toBe(`${url}/trade/withdraw`)
  const served = await fetch(page)
  expect(served.status).toBe(200)
  expect(await served.text()).toContain('<!doctype html>')
  await target.stop()
})

describe('before a wallet signs', () => {
  test('a receiver that gives nothing back is refused', async () => {
    const { rows }: Loose = await service.client.get('/api/prep/deposit-chains')
    const { vault, usdc } = rows.find((row: Loose) => row.chainId === CHAIN_ID)
    for (const receiver of [vault, usdc.toUpperCase().replace('0X', '0x'), `0x${'0'.repeat(40)}`]) {
      const { code, meta } = await service.refused(
        'request_withdrawal',
        asked(service, { receiver }),
        OVER_HTTP,
      )
      expect({ code, parameter: meta.parameter }).toEqual({
        code: 'invalid_address',
        parameter: 'receiver',
      })
    }
  })

  test('an amount that positions need is refused with the largest, which the venue then pays', async () => {
    const world = await service.another()
    await bought(ETH, 30_000)(world)
    const account = await world.call('get_account')
    const held = account.holdings[0].holding
    expect(account.free_collateral).toBeLessThan(held - 1000)
    const writes = await writesDuring(world, async () => {
      const { code, meta } = await world.refused(
        'request_withdrawal',
        asked(world, { amount: Math.floor(held) - 1 }),
        NOW,
      )
      expect(code).toBe('amount_too_high')
      expect(meta).toMatchObject({ holding: held, next: expect.stringContaining('positions') })
      expect(meta.maximum).toBeWithin(account.free_collateral - 1, account.free_collateral + 0.001)
    })
    expect(writes).toEqual([])
    const { meta } = await world.refused('request_withdrawal', asked(world, { amount: held }), NOW)
    const amount = Math.floor(meta.maximum * 1e6) / 1e6
    const { typed_data, send } = await world.call(
      'request_withdrawal',
      asked(world, { amount }),
      NOW,
    )
    const { domain, message } = JSON.parse(typed_data)
    const signature = signDigest(
      typedDataDigest('Withdraw', message, domain),
      walletOf(world).secret,
    )
    const sent = await world.call('request_withdrawal', { ...send, signature }, NOW)
    expect(sent).toMatchObject({ moved: true, withdraw_id: expect.any(Number) })
  })
})
