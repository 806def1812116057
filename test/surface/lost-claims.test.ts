// Slow: servers start one after the other on one store.
import { describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS } from '../target.ts'
import { temporaryFolder } from './spawned.ts'
import { askToBind, post, signedBody, WALLETS } from './wallets.ts'

const KEY = 'the-operator-key-of-the-test-of-lost-claims'
const CONFIRM = {
  method: 'POST',
  headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  body: '{}',
} as const
const ORDER = { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC"}' } as const

describe.each([...TARGET_KINDS])('a store put back to an older copy, %s', (kind) => {
  test('sends nothing that was signed before, and what is signed since once the operator has confirmed the loss', async () => {
    using folder = temporaryFolder()
    const caller = newCaller()
    const venue = await startRecordingUpstream()
    const settings = { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), OPERATOR_KEY: KEY }
    const store = join(settings.DATA_DIR, 'prepd.sqlite')
    const started = async (sends: object[], confirms = false) => {
      const target = await openTarget(kind, settings)
      if (confirms)
        expect((await target.fetch('/api/admin/loss/confirm', CONFIRM)).status).toBe(200)
      const answers: unknown[] = []
      for (const body of sends) {
        answers.push(await (await target.fetch('/api/prep/relay', jsonPost(body))).json())
      }
      await target.stop()
      return answers
    }
    await started([])
    copyFileSync(store, `${store}.copy`)
    const sent = envelope(caller, ORDER)
    await started([sent])
    copyFileSync(`${store}.copy`, store)
    expect(venue.requests).toHaveLength(1)
    expect(await started([sent])).toMatchObject([{ code: 'outcome_unknown' }])
    expect(venue.requests).toHaveLength(1)
    const [, refused] = await started([sent, envelope(caller, ORDER)])
    expect(refused).toMatchObject({ code: 'unauthorized', meta: { reason: 'key_unknown' } })
    expect(venue.requests).toHaveLength(1)
    expect(await started([sent, envelope(caller, ORDER)], true)).toMatchObject([
      { code: 'outcome_unknown' },
      {},
    ])
    expect(venue.requests).toHaveLength(2)
    await venue.stop()
  })

  test('answers a binding of before as a write, and one that it knows as a repeat', async () => {
    using folder = temporaryFolder()
    const venue = await startRecordingUpstream()
    const settings = { VENUE: venue.url, DATA_DIR: join(folder.path, 'data') }
    const store = join(settings.DATA_DIR, 'prepd.sqlite')
    const before = await openTarget(kind, settings)
    const toBind = await askToBind(before, newCaller().key, Date.now() + 86_400_000)
    const binding = await signedBody(WALLETS.viem(), toBind)
    await before.stop()
    copyFileSync(store, `${store}.copy`)
    const bind = async () => {
      const target = await openTarget(kind, settings)
      const { body } = await post(target, '/api/prep/trading-key', binding)
      await target.stop()
      return body
    }
    expect(await bind()).toMatchObject({ bound: true })
    expect(await bind()).toMatchObject({ code: 'duplicate_request' })
    copyFileSync(`${store}.copy`, store)
    const next = expect.stringContaining('now nothing was sent')
    expect(await bind()).toMatchObject({ code: 'outcome_unknown', meta: { next } })
    expect(venue.requests).toHaveLength(1)
    await venue.stop()
  })
})
