import { expect, test } from 'bun:test'
import { WEBHOOK_PATH } from '../../src/contract/webhook.ts'
import { envelope, jsonPost } from '../caller.ts'
import { openTarget } from '../target.ts'
import { newUser, post, signedBody, type ToSign, WALLETS } from './wallets.ts'

// Slow: executions of the embedded venue are looked for every two seconds.
test.each(['viem', 'ethers'] as const)(
  'a wallet of %s adds a webhook, for which a fill of its account waits, and deletes it',
  async (library) => {
    const target = await openTarget('in process', { WEBHOOKS: 'on', LIMIT_WRITE: 'off' })
    const wallet = WALLETS[library]()
    const user = await newUser(target, wallet)
    const act = async (asked: object) => {
      const { address } = wallet
      const body = { kind: 'webhook', chainId: 42_161, address, ...asked }
      const typed = (await post(target, '/api/prep/typed-data', body)).body as ToSign
      return (await post(target, WEBHOOK_PATH, await signedBody(wallet, typed))).body
    }
    // A name that nobody can have: nothing is called.
    const url = 'https://hooks.prepd.invalid/'
    const { added } = await act({ action: 'add', url, events: ['order.filled'] })
    const order = {
      symbol: 'PERP_ETH_USDC',
      side: 'BUY',
      order_type: 'MARKET',
      order_quantity: 0.1,
    }
    const call = { method: 'POST', path: '/v1/order', body: JSON.stringify(order) } as const
    expect((await target.fetch('/api/prep/relay', jsonPost(envelope(user, call)))).status).toBe(200)
    const first = async () => Object(await act({ action: 'list' })).webhooks[0]
    while ((await first()).waiting === 0) await Bun.sleep(20)
    expect(await first()).toMatchObject({ url, id: Object(added).id, state: 'active' })
    const gone = await act({ action: 'delete', webhook: Object(added).id })
    expect(gone).toEqual({ webhooks: [] })
    await target.stop()
  },
)
