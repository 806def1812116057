import { createMeter } from '../../../src/core/observing/meter.ts'
import { parseQuery, type Query } from '../../../src/core/query.ts'
import type { Answer } from '../../../src/gateway/cache/answer.ts'
import type { TimedMarketAccess } from '../../../src/gateway/market/cached-answers.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'

type Verb = (deps: TimedMarketAccess, query: Query) => Promise<Answer>

/** What a caller gets where the venue answers so; nothing is kept. */
export async function answerOf(
  verb: Verb,
  query: string,
  data: string,
  meter = createMeter(() => 0),
): Promise<string> {
  const body = data.startsWith('{"s"')
    ? data
    : `{"success":true,"timestamp":1777500000123,"data":${data}}`
  const deps: TimedMarketAccess = {
    scrub: createScrub({ names: ['Acme', '12345'] }),
    operator: { brokerId: 'demo' },
    meter,
    venueClock: { nowMs: () => 1_777_500_000_123 },
    upstream: { send: async () => ({ status: 200, contentType: 'application/json', body }) },
    cache: {
      peek: () => null,
      recall: () => null,
      serve: async (_key, _lifetime, load) => ({
        reply: await load(),
        ageSeconds: 0,
        state: 'miss',
      }),
      purge: async () => undefined,
      forget: () => undefined,
    },
  }
  return (await verb(deps, parseQuery(`?${query}`))).reply.text()
}
