import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { combinedViews, type EndpointView, headFault } from '../../../src/gateway/voucher/quorum.ts'
import type { Receipt } from '../../../src/gateway/voucher/receipt.ts'

const HASH = `0x${'a'.repeat(64)}`
const receipt: Receipt = { blockNumber: 10n, blockHash: HASH, succeeded: true, logs: [] }
const absent: EndpointView = { kind: 'absent', finalNumber: 9n }
const denied = (finalNumber = 10n): EndpointView => ({ kind: 'absent', finalNumber })
const failed: EndpointView = { kind: 'failed', fault: 'unreachable' }
const mined = (
  finalNumber = 12n,
  part: Partial<Receipt> = {},
  minedAtSeconds = 7n,
): EndpointView => {
  const own = { ...receipt, ...part }
  return { kind: 'mined', receipt: own, canonicalHash: own.blockHash, minedAtSeconds, finalNumber }
}
const gone: EndpointView = {
  kind: 'mined',
  receipt,
  canonicalHash: '0x',
  minedAtSeconds: 7n,
  finalNumber: 12n,
}
const log = { address: '0x', topics: [], data: '0x', logIndex: 1 }

const found = (finalNumber: bigint) => ({ kind: 'mined', receipt, minedAtSeconds: 7n, finalNumber })
const unsafe = (reason: string) => ({ kind: 'unsafe', reason })

describe('endpoints', () => {
  test.each([
    ['two of two', [mined(), mined()], 2, found(12n)],
    ['two of three, one dead', [failed, mined(), mined()], 2, found(12n)],
    ['two of three, one behind', [absent, mined(), mined()], 2, found(12n)],
    ['one of two, one dead', [mined(), failed], 2, unsafe('below_quorum')],
    ['one of two, one behind', [mined(), absent], 2, unsafe('below_quorum')],
    ['one of one that suffices', [mined(), failed], 1, found(12n)],
    ['none of two', [failed, failed], 2, unsafe('below_quorum')],
    ['nobody', [], 1, unsafe('below_quorum')],
    ['all absent', [absent, absent], 2, { kind: 'absent' }],
    ['enough absent', [absent, mined(), absent], 2, { kind: 'absent' }],
    ['too few absent', [absent, failed], 2, unsafe('below_quorum')],
    ['enough absent, and past it', [denied(11n), denied()], 2, { kind: 'absent' }],
    ['one whose block is gone', [mined(), gone], 2, unsafe('below_quorum')],
    ['finality of the second highest', [mined(99n), mined(12n), mined(11n)], 2, found(12n)],
    ['finality of the third highest', [mined(99n), mined(12n), mined(11n)], 3, found(11n)],
    [
      'finality of those alone that have the block',
      [mined(9n), mined(8n), failed, absent],
      2,
      found(8n),
    ],
  ] as const)('%s', (_, views, quorum, agreement) => {
    expect<unknown>(combinedViews(views, quorum)).toEqual(agreement)
  })

  test('call final what as many as are needed call final, in whatever order they are named', () => {
    const named = fc.array(fc.bigInt(10n, 20n), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(named, fc.nat(7), (finals, at) => {
        const quorum = 1 + (at % finals.length)
        const enough = (number: bigint) => finals.filter((own) => own >= number).length >= quorum
        const last = finals.toSorted((a, b) => Number(b - a)).find(enough) ?? 0n
        expect<unknown>(
          combinedViews(
            finals.map((own) => mined(own)),
            quorum,
          ),
        ).toEqual(found(last))
      }),
    )
  })

  test.each([
    ['the block', { blockNumber: 11n }],
    ['its hash', { blockHash: `0x${'b'.repeat(64)}` }],
    ['the outcome', { succeeded: false }],
    ['the logs', { logs: [log] }],
  ])('that contradict each other about %s agree on nothing, whatever the rest says', (_, part) => {
    const views = [mined(), mined(), mined(), mined(12n, part)]
    expect(combinedViews(views, 2)).toEqual({ kind: 'unsafe', reason: 'disagreement' })
  })
})

describe('an endpoint that is final past a block', () => {
  test.each([1, 2, 3, 4, 5, 6, 7])(
    'and does not know what is in it contradicts the %i that do',
    (count) => {
      const affirming = Array.from({ length: count }, () => mined())
      for (const number of [10n, 11n, 99n])
        expect<unknown>(combinedViews([...affirming, denied(number)], count)).toEqual(
          unsafe('disagreement'),
        )
      expect<unknown>(combinedViews([...affirming, denied(9n)], count)).toEqual(found(12n))
    },
  )

  test('contradicts by the time that it has for the block', () => {
    const later: EndpointView = mined(12n, {}, 8n)
    expect<unknown>(combinedViews([mined(), mined(), later], 2)).toEqual(unsafe('disagreement'))
  })
})

describe('where an endpoint stands', () => {
  const chain = { chainId: 901, checkpoint: null }
  const latest = { number: 20n, hash: HASH, timestampSeconds: 1_800_000_000n }
  const head = { chainId: 901n, latest, finalNumber: 18n }
  const nowMs = 1_800_000_000_000

  test.each([
    ['here and now', head, chain, nowMs, null],
    ['five minutes behind', head, chain, nowMs + 300_000, null],
    ['five minutes ahead', head, chain, nowMs - 300_000, null],
    ['further behind', head, chain, nowMs + 300_001, 'clock'],
    ['further ahead', head, chain, nowMs - 300_001, 'clock'],
    ['on another chain', { ...head, chainId: 1n }, chain, nowMs, 'wrong_chain'],
    [
      'on a fork',
      { ...head, checkpointHash: '0x' },
      { ...chain, checkpoint: { block: 1, hash: HASH } },
      nowMs,
      'wrong_checkpoint',
    ],
    [
      'without the checkpoint',
      head,
      { ...chain, checkpoint: { block: 1, hash: HASH } },
      nowMs,
      'wrong_checkpoint',
    ],
    [
      'on the chain of the checkpoint',
      { ...head, checkpointHash: HASH },
      { ...chain, checkpoint: { block: 1, hash: HASH } },
      nowMs,
      null,
    ],
  ] as const)('%s', (_, state, rules, at, fault) => {
    expect(headFault(state, rules, at)).toBe(fault)
  })
})
