import { describe, expect, test } from 'bun:test'
import { createMentionTest } from '../../../src/gateway/scrub/mention.ts'
import { createScrub, type ScrubPolicy } from '../../../src/gateway/scrub/scrub.ts'

const isMention = createMentionTest(['Acme Perps', 'X1'])

describe('a sentence names the venue', () => {
  test.each([
    'Orderly will be down at noon.',
    'Scheduled maintenance of ORDERLY-network',
    'OrderlyChain moves to a new sequencer',
    'Follow @OrderlyNetwork',
    'Trade on WOOFi Pro, now with less fees',
    'WOO stakers get points',
    'https://medium.com/@orderlynetwork/news',
    'Welcome to Acme Perps!',
    'acme-perps has news',
    'X1 is live',
  ])('%s', (sentence) => {
    expect(isMention(sentence)).toBe(true)
  })

  test.each([
    '',
    'Maintenance from 10:00 to 11:00 UTC.',
    'PERP_WOOD_USDC is listed',
    'Wool and wood futures',
    'Curve, Balancer and Socket are tokens here',
    'Acme has perps',
    'X10 is live',
  ])('not: %s', (sentence) => {
    expect(isMention(sentence)).toBe(false)
  })
})

describe('sentences of the venue', () => {
  const named: string[] = []
  const scrub = createScrub({ names: [], onMention: (prose) => named.push(prose) })
  const scrubbed = (json: string, policy: ScrubPolicy) =>
    JSON.parse(scrub.text(json, policy).text())

  test('leave their list with their row, and are counted', () => {
    named.length = 0
    const filler = 'x'.repeat(400)
    const rows = [
      { announcement_id: 1, message: `Orderly is down. ${filler}`, url: null },
      {
        announcement_id: 2,
        message: filler,
        url: 'https://orderly.network/x',
        i18n: { zh: 'Orderly 维护' },
      },
    ]
    const policy = { audience: 'public', prose: 'announcements' } as const
    expect(scrubbed(JSON.stringify({ rows }), policy)).toEqual({
      rows: [{ announcement_id: 2, message: filler, url: '', i18n: { zh: '' } }],
    })
    expect(named).toEqual(['announcements'])
  })

  test('become empty in a status, which stays', () => {
    named.length = 0
    const policy = { audience: 'public', prose: 'status' } as const
    const status = { status: 2, msg: 'Orderly is in maintenance' }
    expect(scrubbed(JSON.stringify(status), policy)).toEqual({ status: 2, msg: '' })
    expect(named).toEqual(['status'])
    const plain = { status: 2, msg: 'The venue is in maintenance' }
    expect(scrubbed(JSON.stringify(plain), policy)).toEqual(plain)
    expect(named).toEqual(['status'])
  })

  test('stay where an answer has none of them: a caller’s own words are no sentences of the venue', () => {
    const row = { order_tag: 'composer', tag: 'socket', bind_code: 'CURVE', note: 'my orderly bot' }
    expect(scrubbed(JSON.stringify(row), { audience: 'private' })).toEqual(row)
  })
})
