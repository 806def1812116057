import { NOTIFY_LIMITS } from '../../../src/contract/operator/notify.ts'
import { Failure } from '../../../src/core/failure.ts'
import type { NoticeLeases } from '../../../src/core/notice-leases.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { LogFields } from '../../../src/core/ports.ts'
import type { RecentFigures } from '../../../src/operator/notify/conditions.ts'
import { readNotifyConfig } from '../../../src/operator/notify/config.ts'
import { createJudge, createUnknownWrites } from '../../../src/operator/notify/judge.ts'
import { createNotifier } from '../../../src/operator/notify/notifier.ts'
import { openNoticeFile } from '../../../src/store/entity-file.ts'

export const START_MS = Date.UTC(2026, 0, 2, 12)
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const WEBHOOK = `[[targets]]\nkind = "webhook"\nurl = "https://hooks.example/a"\nsecret = "${SECRET}"\n`
export const NTFY =
  '[[targets]]\nkind = "ntfy"\nurl = "https://ntfy.example/secret-topic"\ntoken = "tk_1"\n'

/** Requests and calls are as they should be. */
export const CALM: RecentFigures = {
  ...{ failedShare: null, slowestMs: null, loopDelayMs: null, venueSlowestMs: null },
  faults: [],
}

type Sent = {
  readonly atMs: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

/** A notifier over a meter, whose clock begins at `nowMs` and is moved by the test. `answers` decides what a target does. */
export function openNotifier(
  file = WEBHOOK,
  store = openNoticeFile(null),
  version = '1.0',
  leases: NoticeLeases | null = null,
  nowMs = START_MS,
) {
  const sent: Sent[] = []
  const lines: [string, LogFields | undefined][] = []
  const world = {
    nowMs,
    missing: null as string | null,
    lately: CALM,
    answers: (_url: string): Response | Error => new Response('ok'),
    storeFails: false,
  }
  const write = (event: string, fields?: LogFields) => void lines.push([event, fields])
  const meter = createMeter(() => 0)
  const unknown = createUnknownWrites(
    { nowMs: () => world.nowMs },
    (accountId) => `tag of ${accountId}`,
  )
  const unknownWrites = unknown.newest
  const judge = createJudge({ meter, venue: 'live', lately: () => world.lately, unknownWrites })
  const guarded = {
    ...store,
    commit: (changes: Parameters<typeof store.commit>[0]) => {
      if (world.storeFails) throw new Failure('store_unavailable')
      store.commit(changes)
    },
  }
  const notifier = createNotifier({
    config: readNotifyConfig(file),
    store: guarded,
    meter,
    judge,
    leases,
    ...{ instance: 'host:8080', host: 'host' },
    missing: () => world.missing,
    clock: { nowMs: () => world.nowMs },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    log: { error: write, warn: write, info: write, debug: write },
    send: async (request) => {
      const { url, headers } = request
      sent.push({ atMs: world.nowMs, url, headers, text: await request.text() })
      const answer = world.answers(request.url)
      if (answer instanceof Error) throw answer
      return answer
    },
    service: 'prepd',
    version,
  })
  /** Time passes in steps of the notifier's own looks. */
  async function pass(ms: number): Promise<void> {
    for (const endMs = world.nowMs + ms; world.nowMs < endMs; ) {
      world.nowMs += Math.min(NOTIFY_LIMITS.lookEveryMs, endMs - world.nowMs)
      await notifier.check()
      await notifier.deliver()
    }
  }
  const notices = () =>
    sent.flatMap(({ text }) => Object(JSON.parse(text)).data.notices as Record<string, string>[])
  return { world, meter, judge, noteUnknown: unknown.note, store, sent, lines, pass, notices }
}

/** What a readiness check says where the venue is away. */
export const AWAY = 'venue: upstream_unavailable'
