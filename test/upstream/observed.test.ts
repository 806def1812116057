import { describe, expect, test } from 'bun:test'
import { createMeter } from '../../src/core/observing/meter.ts'
import {
  type LogFields,
  UpstreamError,
  type UpstreamRequest,
  type UpstreamResponse,
} from '../../src/core/ports.ts'
import { observedUpstream } from '../../src/upstream/observed-upstream.ts'

const WRITE: UpstreamRequest = {
  host: 'main',
  method: 'POST',
  path: '/v1/order?secret=canary',
  headers: { 'orderly-signature': 'canary' },
  body: 'canary',
  lane: 'write',
  deadlineMs: 1,
}
const answerOf = (status: number, body = '{}'): UpstreamResponse => {
  return { status, contentType: 'application/json', body }
}

/** An observed upstream whose calls take 7.5 ms and end in turn as listed, and what became known of them. */
function observe(...ends: readonly (UpstreamResponse | Error)[]) {
  const lines: [string, LogFields | undefined][] = []
  const called: unknown[] = []
  const write = (event: string, fields?: LogFields) => void lines.push([event, fields])
  let nowMs = 0
  const meter = createMeter(() => nowMs)
  const left = [...ends]
  const { send } = observedUpstream(
    {
      send: async () => {
        nowMs += 7.5
        const end = left.length > 1 ? left.shift() : left[0]
        if (!end || end instanceof Error) throw end
        return end
      },
    },
    {
      meter,
      clock: { nowMs: () => 1_700_000_000_000 },
      log: { error: write, warn: write, info: write, debug: write, isWritten: () => false },
      called: (...call) => called.push(call),
      watch: null,
    },
  )
  return {
    send: (request = WRITE) => send(request).catch((error: unknown) => error),
    at: (seconds: number) => {
      nowMs = seconds * 1000
    },
    lines,
    called,
    figure: (series: string) => {
      const line = meter
        .text()
        .split('\n')
        .find((each) => each.startsWith(`${series} `))
      return line?.slice(series.length + 1)
    },
  }
}

const reset = () => new UpstreamError('reset', true)

describe('a call is passed on as it is, and counted and timed', () => {
  test.each([
    [
      'an answer',
      answerOf(404, '{"success":false,"code":-1006}'),
      null,
      'answers',
      '404",code="-1006',
    ],
    [
      'an unknown code',
      answerOf(400, '{"success":false,"code":"-7"}'),
      null,
      'answers',
      '400",code="other',
    ],
    ['a failure of the venue', answerOf(503), 'status 5xx', 'answers', '503",code="none'],
    ['a broken call', reset(), 'reset', 'faults', 'write",fault="reset'],
    ['an error of ours', new TypeError('ours'), 'unexpected', 'faults', 'write",fault="unexpected'],
  ])('%s', async (_, end, fault, family, labels) => {
    const { send, called, figure } = observe(end)
    expect(await send()).toBe(end)
    expect(called).toEqual([[7.5, fault]])
    const second = family === 'answers' ? 'status' : 'lane'
    expect(figure(`prepd_venue_${family}_total{host="main",${second}="${labels}"}`)).toBe('1')
    const calls = 'prepd_venue_call_duration_seconds_sum{host="main",lane="write"}'
    expect(figure(calls)).toBe('0.0075')
  })

  test('the venue’s clock is compared with ours in the middle of the call', async () => {
    const { send, figure } = observe(answerOf(200, '{"success":true,"timestamp":1700000002000}'))
    expect(figure('prepd_venue_clock_skew_seconds')).toBeUndefined()
    await send()
    expect(figure('prepd_venue_clock_skew_seconds')).toBe('2.00375')
  })
})

describe('log lines', () => {
  test('a failed call leaves one without query, header or body', async () => {
    const { send, lines } = observe(reset())
    await send()
    const call = { host: 'main', method: 'POST', path: '/v1/order', lane: 'write' }
    expect(lines).toEqual([['upstream_failed', { ...call, fault: 'reset', sent: true, ms: 8 }]])
    expect(JSON.stringify(lines)).not.toContain('canary')
  })

  test('an answered call leaves none above the level debug', async () => {
    const { send, lines } = observe(answerOf(200))
    await send()
    expect(lines).toEqual([])
  })

  test('a venue whose clock is more than 30 seconds off is named with both times, and its end', async () => {
    const stamped = (ms: number) => answerOf(200, `{"success":true,"timestamp":${ms}}`)
    const own = 1_700_000_000_000
    const { send, lines } = observe(
      ...[own + 29_000, own - 3_600_000, own - 3_600_000, own + 1000].map(stamped),
    )
    for (let call = 0; call < 4; call += 1) await send()
    expect(lines).toEqual([
      [
        'venue_clock_skew',
        {
          skewMs: -3_599_996,
          venue: '2023-11-14T21:13:20.000Z',
          own: '2023-11-14T22:13:19.996Z',
        },
      ],
      [
        'venue_clock_agrees',
        { skewMs: 1004, venue: '2023-11-14T22:13:21.000Z', own: '2023-11-14T22:13:19.996Z' },
      ],
    ])
  })

  test('a venue whose clock stays near 30 seconds off has one line, until it is within 25', async () => {
    const stamped = (ms: number) => answerOf(200, `{"success":true,"timestamp":${ms}}`)
    const own = 1_700_000_000_000
    const offs = [29_000, 31_000, 29_000, 31_000, 26_000, 31_000, 24_000, 29_000]
    const { send, lines } = observe(...offs.map((off) => stamped(own + off)))
    for (const _ of offs) await send()
    expect(lines.map(([event, fields]) => [event, fields?.['skewMs']])).toEqual([
      ['venue_clock_skew', 31_004],
      ['venue_clock_agrees', 24_004],
    ])
  })

  test('a refusal for want of room is a failure, and another refusal is not', async () => {
    const { send, lines } = observe(answerOf(422), answerOf(429), answerOf(500))
    for (let call = 0; call < 3; call += 1) await send()
    expect(lines.map(([event, fields]) => [event, fields?.['fault']])).toEqual([
      ['upstream_failed', 'http_429'],
      ['upstream_failed', 'http_500'],
    ])
  })

  test('repeats of a failure are counted, and have a line ten seconds after the first', async () => {
    const { send, at, lines } = observe(new UpstreamError('timeout', true))
    for (const seconds of [0, 1, 2, 9.9, 10]) {
      at(seconds)
      await send()
    }
    expect(lines.map(([, fields]) => fields?.['repeated'])).toEqual([undefined, 3])
  })

  test('another fault, or another host, has its own', async () => {
    const { send, lines } = observe(new UpstreamError('timeout', true), reset())
    await send()
    await send()
    await send({ ...WRITE, host: 'vaults' })
    expect(lines).toHaveLength(3)
  })

  test('the first answer afterwards says how many failed and for how long, and the next says nothing', async () => {
    const { send, at, lines } = observe(answerOf(200), reset(), reset(), answerOf(200))
    for (const seconds of [0, 0, 1, 7, 8]) {
      at(seconds)
      await send()
    }
    expect(lines.slice(1)).toEqual([
      ['upstream_recovered', { host: 'main', failures: 2, seconds: 7 }],
    ])
  })

  test('where every other call fails, there are two in ten seconds and not two a call', async () => {
    const flapping = Array.from({ length: 100 }, (_, at) => (at % 2 ? answerOf(200) : reset()))
    const { send, lines } = observe(...flapping)
    for (const _ of flapping) await send()
    expect(lines).toHaveLength(2)
  })
})
