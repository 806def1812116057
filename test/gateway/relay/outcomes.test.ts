import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../../src/contract/limits.ts'
import { Failure } from '../../../src/core/failure.ts'
import { createPeerOutcomes, type KeptOutcomes } from '../../../src/gateway/relay/outcomes.ts'
import { replyOfScrubbed } from '../../../src/gateway/scrub/reply.ts'
import { runs } from '../../runs.ts'

const WRITE = { identity: 'one', signature: new Uint8Array(64), expiresAtMs: 1 }

/** Instances that share what is kept in one map; `otherwise` is what a look finds where nothing is kept. */
function shared(otherwise: 'sending' | null = null, isAway = false) {
  const bytes = new Map<string, Uint8Array>()
  const waits: number[] = []
  const kept: KeptOutcomes = {
    keep: ({ identity }, outcome) => void bytes.set(identity, outcome),
    release: (identity) => void bytes.delete(identity),
    look: async ({ identity }, maxMs) => {
      waits.push(maxMs)
      return bytes.get(identity) ?? otherwise
    },
    answerWith: () => undefined,
    isAway: () => isAway,
  }
  return { bytes, waits, first: createPeerOutcomes(kept), second: createPeerOutcomes(kept) }
}

describe('how a write ended at one instance', () => {
  test('is what another finds of it, to the byte, whoever it was sent for', async () => {
    const given = fc.record({ owner: fc.string(), text: fc.json() })
    await fc.assert(
      fc.asyncProperty(given, async ({ owner, text }) => {
        const { first, second } = shared()
        const reply = replyOfScrubbed(text)
        first.keep(WRITE, { owner, outcome: { reply } })
        const found = await second.ended(WRITE, 0)
        if (found === null || typeof found === 'string' || !('reply' in found.outcome))
          throw new Error('no reply was found')
        expect([found.owner, found.outcome.reply.bytes]).toEqual([owner, reply.bytes])
      }),
      { numRuns: runs(50) },
    )
  })

  test('is a failure with its code and what it says', async () => {
    const { first, second } = shared()
    const failure = new Failure('invalid_request', { parameter: 'body' })
    first.keep(WRITE, { owner: 'a', outcome: { failure } })
    const { code, meta } = failure
    expect(await second.ended(WRITE, 0)).toMatchObject({
      owner: 'a',
      outcome: { failure: { code, meta } },
    })
  })

  test.each([
    '',
    'no line',
    'null\n',
    '{"owner":1}\n',
    '{"owner":"a","code":"none"}\n',
    '{"owner":"a","code":1}\n',
  ])('is not known from %j', async (text) => {
    const { bytes, second } = shared()
    bytes.set(WRITE.identity, Buffer.from(text))
    expect(await second.ended(WRITE, 0)).toBeNull()
  })

  test('is asked for until a write has to have ended, and given up then or without the engine', async () => {
    const { upstreamWriteDeadlineMs: deadlineMs, peerLookEveryMs: everyMs } = LIMITS
    const sending = shared('sending')
    expect(await sending.second.ended(WRITE, deadlineMs - 1)).toBe('sending')
    expect(await sending.second.ended(WRITE, deadlineMs)).toBeNull()
    expect(await sending.second.ended(WRITE, 0)).toBe('sending')
    expect(sending.waits).toEqual([1, 0, everyMs])
    expect(await shared().second.ended(WRITE, 0)).toBe('again')
    expect(await shared('sending', true).second.ended(WRITE, 0)).toBeNull()
  })
})
