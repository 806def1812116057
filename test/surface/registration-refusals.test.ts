import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { USUAL_KINDS } from '../target.ts'
import {
  BIND,
  DAY_MS,
  openRegistrationFixture,
  REGISTER,
  type RegistrationFixture,
  tampered,
} from './registration-fixture.ts'
import { askToBind, askToRegister, post, signedBody, type ToSign, WALLETS } from './wallets.ts'

type Body = Awaited<ReturnType<typeof signedBody>>

const MINUTES_MS = 60_000
const KEY = 'ed25519:FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z'

/** The same consent with the other root: valid on the curve, and a second spelling of one signature. */
function highS(signature: string): string {
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return signature.slice(0, 66) + s.toString(16).padStart(64, '0') + v
}

const flipped = (text: string) =>
  text.slice(0, -3) + (text.at(-3) === '0' ? '1' : '0') + text.slice(-2)

/** What is wrong with a wallet's body, whichever route it goes to. */
const FORGERIES: readonly { what: string; forge: (body: Body) => object }[] = [
  { what: 'another chain', forge: (body) => tampered(body, { chainId: 10 }) },
  {
    what: 'a timestamp one millisecond later',
    forge: (body) => tampered(body, { timestamp: Number(Object(body.message).timestamp) + 1 }),
  },
  {
    what: 'somebody else’s address',
    forge: (body) => ({ ...body, address: WALLETS.viem().address }),
  },
  {
    what: 'a signature with a high s',
    forge: (body) => ({ ...body, signature: highS(body.signature) }),
  },
  {
    what: 'a signature of 63 bytes',
    forge: (body) => ({ ...body, signature: body.signature.slice(0, -4) }),
  },
  {
    what: 'a signature with a byte too many',
    forge: (body) => ({ ...body, signature: `${body.signature}00` }),
  },
  {
    what: 'a changed signature',
    forge: (body) => ({ ...body, signature: flipped(body.signature) }),
  },
  {
    what: 'a signature of zeros',
    forge: (body) => ({ ...body, signature: `0x${'00'.repeat(65)}` }),
  },
  {
    what: 'an unknown recovery byte',
    forge: (body) => ({ ...body, signature: `${body.signature.slice(0, -2)}1d` }),
  },
]

/** Parameters that are refused before anybody looks at the signature. */
const MALFORMED: readonly { parameter: string; message?: object; whole?: object }[] = [
  { parameter: 'message.chainId', message: { chainId: 0 } },
  { parameter: 'message.chainId', message: { chainId: '42161' } },
  { parameter: 'message.chainId', message: { chainId: 1.5 } },
  { parameter: 'message.timestamp', message: { timestamp: -1 } },
  { parameter: 'message.brokerId', message: { brokerId: 7 } },
  { parameter: 'signature', whole: { signature: 'abc' } },
  { parameter: 'signature', whole: { signature: '0x' } },
  { parameter: 'address', whole: { address: '0x12' } },
  { parameter: 'message', whole: { message: 'hello' } },
]

describe.each([...USUAL_KINDS])('refused before the venue hears of it, %s', (kind) => {
  let fixture: RegistrationFixture

  beforeAll(async () => {
    fixture = await openRegistrationFixture(kind)
  })
  afterAll(async () => {
    await fixture.stop()
  })

  async function expectRefused(path: string, body: unknown, refusal: object) {
    const { result, sent } = await fixture.sending(() => post(fixture.target, path, body))
    expect(result.body).toMatchObject(refusal)
    expect(result.body).not.toHaveProperty('created')
    expect(result.body).not.toHaveProperty('bound')
    expect(sent).toEqual([])
  }

  const bodies = [
    { route: REGISTER, made: () => fixture.newRegistration() },
    { route: BIND, made: () => fixture.newBinding() },
  ]

  describe.each(bodies)('$route', ({ route, made }) => {
    test.each([...FORGERIES])('$what is invalid_signature', async ({ forge }) => {
      const body = await made()
      await expectRefused(route, forge(body), { code: 'invalid_signature' })
      expect((await post(fixture.target, route, body)).status).toBe(200)
    })

    test.each([...MALFORMED])('$parameter is named when it is malformed', async (row) => {
      const body = await made()
      const bad = { ...tampered(body, row.message ?? {}), ...row.whole }
      const meta = { parameter: row.parameter }
      await expectRefused(route, bad, { code: 'invalid_request', meta })
    })

    /** A body whose message the wallet really signed at another time. */
    async function signedAt(shiftMs: number): Promise<Body> {
      const wallet = WALLETS.viem()
      const toSign = await (route === REGISTER
        ? askToRegister(fixture.target)
        : askToBind(fixture.target, KEY, Date.now() + DAY_MS))
      return signedBody(wallet, shifted(toSign, { timestamp: Date.now() + shiftMs }))
    }

    test('a message signed more than five minutes ago has expired', async () => {
      await expectRefused(route, await signedAt(-5 * MINUTES_MS - 1000), {
        code: 'expired_signature',
      })
    })

    test('a message from the future is refused by name', async () => {
      const meta = { parameter: 'message.timestamp' }
      // A minute passes before it is no longer one. The very boundary has a test whose clock stands still.
      await expectRefused(route, await signedAt(6 * MINUTES_MS), {
        code: 'invalid_request',
        meta,
      })
    })

    test('a message signed four minutes ago or ahead is taken; a key that was bound before the store began is unknown', async () => {
      const ago = await post(fixture.target, route, await signedAt(-4 * MINUTES_MS))
      expect(ago.status).toBe(route === REGISTER ? 200 : 409)
      if (route !== REGISTER) expect(ago.body).toMatchObject({ code: 'outcome_unknown' })
      expect((await post(fixture.target, route, await signedAt(4 * MINUTES_MS))).status).toBe(200)
    })

    test('consent given to another operator is invalid_signature', async () => {
      const wallet = WALLETS.ethers()
      const toSign = await (route === REGISTER
        ? askToRegister(fixture.target)
        : askToBind(fixture.target, KEY, Date.now() + DAY_MS))
      const { message, typedData } = shifted(toSign, { brokerId: 'somebody-else' })
      const body = await signedBody(wallet, { ...toSign, typedData })
      await expectRefused(route, { ...body, message }, { code: 'invalid_signature' })
    })
  })

  test('a nonce that was never issued here is refused, however well it is signed', async () => {
    const toSign = await askToRegister(fixture.target)
    const body = await signedBody(WALLETS.viem(), shifted(toSign, { registrationNonce: '4711' }))
    const { result, paths } = await fixture.sending(() => post(fixture.target, REGISTER, body))
    expect(result.body).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'message.registrationNonce' },
    })
    expect(paths).toEqual(['/v1/get_account'])
  })

  test.each(['9'.repeat(78), '9'.repeat(79), '-1', '1.5', '0x1', '１'])(
    'a nonce that is no number a wallet can sign is refused by name: %s',
    async (registrationNonce) => {
      const body = tampered(await fixture.newRegistration(), { registrationNonce })
      const meta = { parameter: 'message.registrationNonce' }
      await expectRefused(REGISTER, body, { code: 'invalid_request', meta })
    },
  )

  test('somebody without the wallet cannot burn its nonce', async () => {
    const body = await fixture.newRegistration()
    for (let i = 0; i < 3; i++) {
      await expectRefused(
        REGISTER,
        { ...body, address: WALLETS.viem().address },
        { code: 'invalid_signature' },
      )
    }
    expect(await post(fixture.target, REGISTER, body)).toMatchObject({ body: { created: true } })
  })

  const EXPIRATIONS = [
    { what: 'past', expiration: () => Date.now() - 1 },
    { what: 'more than 365 days ahead', expiration: () => Date.now() + 365 * DAY_MS + MINUTES_MS },
  ]
  test.each(EXPIRATIONS)(
    'an expiration that is $what is refused, and no document is made for it',
    async (row) => {
      const toSign = await askToBind(fixture.target, KEY, Date.now() + DAY_MS)
      const body = await signedBody(
        WALLETS.viem(),
        shifted(toSign, { expiration: row.expiration() }),
      )
      const meta = { parameter: 'message.expiration' }
      await expectRefused(BIND, body, { code: 'invalid_request', meta })
      const asked = {
        kind: 'trading-key',
        chainId: 1,
        tradingKey: KEY,
        scope: 'read',
        expiration: row.expiration(),
      }
      await expectRefused('/api/prep/typed-data', asked, {
        code: 'invalid_request',
        meta: { parameter: 'expiration' },
      })
    },
  )

  test.each(['ed25519:', 'x', `ed25519:${'1'.repeat(44)}`, `${'0x'}${'ab'.repeat(32)}`])(
    '%s is no public key, and nothing is sent',
    async (tradingKey) => {
      const body = tampered(await fixture.newBinding(), { tradingKey })
      const meta = { parameter: 'message.tradingKey' }
      await expectRefused(BIND, body, { code: 'invalid_request', meta })
    },
  )
})

/** The same document with some fields replaced, in what is signed and in what is sent. */
function shifted({ typedData, message, digest }: ToSign, fields: object): ToSign {
  const document = JSON.parse(typedData)
  const changed = { ...document, message: { ...document.message, ...fields } }
  return { typedData: JSON.stringify(changed), message: { ...message, ...fields }, digest }
}
