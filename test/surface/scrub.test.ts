import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { openTarget, TARGET_KINDS, type Target } from '../target.ts'
import { headerLeaks, leaks, planted, renamed, TALKATIVE } from './planting.ts'
import { OPERATION_ROWS, operationUrl, RELAY_ROWS, recordedBody } from './recorded-venue.ts'
import { SPEC_SHAPES } from './spec-shapes.ts'
import { askToBind, askToRegister, post, signedBody, WALLETS } from './wallets.ts'

const READS = [
  ...SPEC_SHAPES.map(({ path }) => path),
  ...OPERATION_ROWS.filter(({ forwarded }) => forwarded !== false).map((row) =>
    operationUrl(row, [...row.required, ...row.optional]),
  ),
]

const VENUES = [
  { what: 'plants them everywhere', plant: planted, isReadable: true },
  {
    what: 'puts a name in every string',
    plant: (value: unknown) => renamed(value),
    isReadable: false,
  },
]

test('what is planted would be found in every recorded answer', () => {
  for (const { answer } of [...OPERATION_ROWS, ...RELAY_ROWS]) {
    expect(leaks(planted(answer), 'private').length).toBeGreaterThan(20)
  }
  const named = OPERATION_ROWS.filter(({ answer }) => leaks(renamed(answer), 'private').length > 0)
  expect(named.length).toBeGreaterThan(40)
})

describe.each([...TARGET_KINDS])('the scrub, %s', (kind) => {
  describe.each(VENUES)('before a venue that $what', ({ plant, isReadable }) => {
    let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
    let target: Target

    function answer(request: Recorded): AnswerSpec {
      return {
        json: plant(recordedBody(request) ?? { success: true, data: {} }),
        headers: TALKATIVE,
      }
    }

    beforeAll(async () => {
      venue = await startRecordingUpstream(answer)
      target = await openTarget(kind, { VENUE: venue.url, POINTS: 'on' })
    })
    afterAll(async () => {
      await target.stop()
      await venue.stop()
    })

    test.each(READS)('%s gives nothing away', async (path) => {
      for (const attempt of ['loaded', 'kept']) {
        const response = await target.fetch(path)
        if (isReadable) expect(response.status).toBe(200)
        const body: unknown = await response.json()
        expect({ attempt, leaks: leaks(body, 'public') }).toEqual({ attempt, leaks: [] })
        expect(headerLeaks(response.headers)).toEqual([])
      }
    })

    test.each([...RELAY_ROWS])(
      '$method $path through the relay gives nothing away',
      async (row) => {
        const signed = envelope(newCaller(), row)
        for (const attempt of ['answered', 'repeated']) {
          const response = await target.fetch('/api/prep/relay', jsonPost(signed))
          expect(response.status).toBe(200)
          const body: unknown = await response.json()
          expect({ attempt, leaks: leaks(body, 'private') }).toEqual({ attempt, leaks: [] })
          expect(headerLeaks(response.headers)).toEqual([])
        }
      },
    )
  })

  describe('before the embedded venue', () => {
    let target: Target

    beforeAll(async () => {
      target = await openTarget(kind, { VENUE: 'embedded', BROKER_ID: 'woofi_pro' })
    })
    afterAll(async () => {
      await target.stop()
    })

    test.each(READS)('%s gives nothing away', async (path) => {
      const response = await target.fetch(path)
      expect(leaks(await response.json(), 'public')).toEqual([])
      expect(headerLeaks(response.headers)).toEqual([])
    })
  })

  describe('answers as they are', () => {
    let payload = ''
    let venue: Awaited<ReturnType<typeof startRecordingUpstream>>
    let target: Target

    beforeAll(async () => {
      venue = await startRecordingUpstream(() => ({
        body: `{"success":true,"timestamp":1,"data":${payload}}`,
      }))
      target = await openTarget(kind, { VENUE: venue.url })
    })
    afterAll(async () => {
      await target.stop()
      await venue.stop()
    })

    const relayed = async () => {
      const signed = envelope(newCaller(), { method: 'GET', path: '/v1/client/holding' })
      return (await target.fetch('/api/prep/relay', jsonPost(signed))).text()
    }
    const read = async () => {
      const path = `/api/prep/op/campaigns.stats?campaign_id=${crypto.randomUUID()}`
      return (await target.fetch(path)).text()
    }

    const KEPT: readonly { what: string; json: string }[] = [
      { what: 'empty calldata', json: '{"data":"0x","input":"0x"}' },
      { what: 'calldata', json: '{"data":"0x1f00","calldata":"0xdeadBEEF"}' },
      { what: 'a market called like a route', json: '{"base":"1INCH","symbol":"PERP_1INCH_USDC"}' },
      { what: 'a referral code', json: '{"referral_code":"SUSHI","code":"CURVE"}' },
      {
        what: 'a word of the caller’s own',
        json: '{"order_tag":"composer","tag":"socket","bind_code":"CURVE"}',
      },
      { what: 'a word that starts like a name', json: '{"text":"Simplified fees"}' },
      {
        what: 'a sentence that mentions a name',
        json: '{"text":"Deposits via LI.FI are slow today"}',
      },
      { what: 'hashes and ids', json: `{"hash":"0x${'ab'.repeat(32)}","id":"woo","tx_id":"0x"}` },
      {
        what: 'how numbers are written',
        json: '[1.50,98765432109876543210,-0,1E5,1e-7,0.10,1e+2]',
      },
      { what: 'spaces and escapes', json: '{ "a" : "\\u0041\\/b" ,\n"c":[ ] }' },
      { what: 'an empty key and a proto', json: '{"":1,"__proto__":{"a":1.0}}' },
      {
        what: 'keys that look like removed ones',
        json: '{"Broker_id":1,"vendors":2,"provider_id":3}',
      },
    ]
    test.each([...KEPT])('$what is untouched, byte for byte', async ({ json }) => {
      payload = json
      expect(await relayed()).toBe(json)
      expect(await read()).toBe(json)
    })

    test.each([...KEPT])('$what is untouched beside what is removed', async ({ json }) => {
      payload = `{"vendor":{"a":[1.50]},"kept":${json},"provider":"x","route":"LI.FI"}`
      const expected = `{"kept":${json},"route":""}`
      expect(await relayed()).toBe(expected)
      expect(await read()).toBe(expected)
    })

    test('a user’s own rows are kept whatever market they are of, and public ones are not', async () => {
      payload = '{"rows":[{"symbol":"PERP_X_USDC_woofi_pro","qty":1.0},{"symbol":"PERP_X_USDC"}]}'
      expect(await relayed()).toBe(payload)
      expect(await read()).toBe('{"rows":[{"symbol":"PERP_X_USDC"}]}')
    })

    test('a sentence that names the venue is left out of its announcements and its status', async () => {
      const asked = async (id: string) => (await target.fetch(`/api/prep/op/${id}`)).json()
      const other = { announcement_id: 2, message: 'Deposits are slow', url: null, type: 'x' }
      payload = JSON.stringify({
        rows: [{ ...other, message: 'Orderly will be down' }, other],
        last_updated_time: 1,
      })
      expect(await asked('platform.announcements')).toMatchObject({ rows: [other] })
      expect(await asked('platform.announcementsV2')).toMatchObject({ rows: [other] })
      payload = '{"status":2,"msg":"WOOFi Pro is in maintenance","scheduled_maintenance":null}'
      expect(await asked('platform.status')).toMatchObject({ status: 2, msg: '' })
      // A binary of these tests has no listener for its operator.
      if (kind !== 'in process') return
      const metrics = await (await target.ops('/metrics')).text()
      const count = (route: string) => `prepd_venue_rows_dropped_total{route="${route}"}`
      expect(metrics).toContain(`${count('announcements')} 2\n`)
      expect(metrics).toContain(`${count('status')} 1\n`)
    })

    test('what hides behind escapes is found', async () => {
      payload = '{"\\u0076endor":"x","route":"L\\u0049.FI","broker\\u005fid":1}'
      expect(await relayed()).toBe('{"route":""}')
      expect(await read()).toBe('{"route":""}')
    })

    test('a key is called the trading key', async () => {
      payload = '{"rows":[{"orderly_key":"ed25519:abc","expiration":1.0}]}'
      expect(await relayed()).toBe('{"rows":[{"trading_key":"ed25519:abc","expiration":1.0}]}')
    })
  })

  describe('account creation before a venue that plants', () => {
    test('gives nothing away but what the wallet has to sign', async () => {
      const venue = await startRecordingUpstream((request) => ({
        json: planted(recordedBody(request)),
        headers: TALKATIVE,
      }))
      const target = await openTarget(kind, { VENUE: venue.url, BROKER_ID: 'woofi_pro' })
      const wallet = WALLETS.viem()
      const toRegister = await askToRegister(target)
      const toBind = await askToBind(target, newCaller().key, Date.now() + 60_000)
      const answers = [
        ...[toRegister, toBind].map(({ typedData: _, ...rest }) => rest),
        (await post(target, '/api/prep/register', await signedBody(wallet, toRegister))).body,
        (await post(target, '/api/prep/trading-key', await signedBody(wallet, toBind))).body,
      ]
      await target.stop()
      await venue.stop()
      for (const body of answers) expect(leaks(body, 'public')).toEqual([])
      expect(answers.slice(2)).toMatchObject([{ created: true }, { bound: true }])
      expect(JSON.stringify(answers)).not.toMatch(/woofi|broker/i)
    })
  })
})
