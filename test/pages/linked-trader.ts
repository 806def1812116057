import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { toBase58 } from '../../src/core/crypto/base58.ts'
import { REAL_WORLD } from '../operator/real-world.ts'
import { runCommand } from '../operator/run-command.ts'
import { settingsFolder } from '../settings-folder.ts'

/** What precedes the secret of an Ed25519 key in PKCS #8. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

export type LinkedTrader = Awaited<ReturnType<typeof openLinkedTrader>>

/** A practice account that a page opens by its `link`, and that a test trades with beside it. */
export async function openLinkedTrader(origin: string) {
  using folder = settingsFolder()
  const argv = ['account', 'create', '--url', origin, '--json']
  const { lines } = await runCommand(folder, argv, {}, REAL_WORLD)
  const { link } = JSON.parse(lines.join('\n'))
  const fields = new URLSearchParams(new URL(link).hash.slice(1))
  const secret = Buffer.from(fields.get('key') ?? '', 'hex')
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, secret]),
    format: 'der',
    type: 'pkcs8',
  })
  const accountId = fields.get('account')
  const point = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  const publicKey = `ed25519:${toBase58(new Uint8Array(point))}`

  /** Signs and sends a private call; its answer. */
  async function call(method: string, path: string, fields?: object) {
    const timestamp = String(Date.now())
    const body = fields && JSON.stringify(fields)
    const text = Buffer.from(timestamp + method + path + (body ?? ''))
    const signature = sign(null, text, key).toString('base64url')
    const auth = { accountId, key: publicKey, signature, timestamp }
    const answer = await fetch(`${origin}/api/prep/relay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ method, path, body, auth }),
    })
    const found = await answer.json()
    if (!answer.ok) throw new Error(JSON.stringify(found))
    return Object(found)
  }

  return {
    link: String(link),
    call,
    /** Buys so much of a market at the market. */
    buy: (symbol: string, quantity: number) =>
      call('POST', '/v1/order', {
        symbol,
        order_type: 'MARKET',
        side: 'BUY',
        order_quantity: quantity,
      }),
  }
}
