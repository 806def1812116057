import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../../src/core/failure.ts'
import type { FeedMessage } from '../../../src/core/feed.ts'
import { UpstreamError } from '../../../src/core/ports.ts'
import { openVenueOn } from '../../../src/main/venue-host.ts'
import type { VenueOptions, VenueService } from '../../../src/simulator/service.ts'
import { openVenueThread } from '../../../src/simulator/thread/supervisor.ts'
import { rejection } from '../../rejection.ts'
import { moveClock } from './move-clock.ts'

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-thread-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

const OPTIONS: VenueOptions = {
  seed: 7,
  markets: ['PERP_BTC_USDC', 'PERP_ETH_USDC'],
  activity: 'sparse',
  ...{ pricesCsv: null, tape: null },
  time: 'virtual',
  startMs: Date.UTC(2026, 0, 1),
  faucet: 10_000_000_000n,
  fees: undefined,
  ...{ limits: null, latency: null },
  scenario: null,
  operatorId: null,
  listen: null,
}

type Line = { readonly level: string; readonly event: string; readonly fields: unknown }

const open = new Set<VenueService>()
afterEach(async () => {
  await Promise.all([...open].map((service) => service.close()))
  open.clear()
})

/** A venue in a thread that can be made to fail, on a new data directory; `sinceStartMs` moves its supervisor's clock. */
async function openThread(options: Partial<VenueOptions> = {}, pingMs = 1000) {
  const lines: Line[] = []
  const at = (level: string) => (event: string, fields?: object) =>
    void lines.push({ level, event, fields })
  const time = { sinceStartMs: 0 }
  const service = await openVenueThread({
    options: { ...OPTIONS, ...options },
    storePath: join(mkdtempSync(join(FOLDER, 'data-')), 'prepd.sqlite'),
    startThread: () => new Worker(new URL('./failing-thread.ts', import.meta.url).href),
    clock: { nowMs: Date.now },
    monotonicMs: () => time.sinceStartMs,
    log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') },
    pingMs,
  })
  open.add(service)
  return { service, lines, time }
}

const get = (path: string) => ({ method: 'GET', path, headers: {} })

/** Asks until the venue answers again. */
async function answered(service: VenueService) {
  for (;;) {
    const answer = await service.calls.answer(get('/v1/public/config')).catch(() => null)
    if (answer) return answer
    await Bun.sleep(1)
  }
}

test('a venue in a thread answers what it answers in this one, byte for byte', async () => {
  const { service } = await openThread()
  const quiet = () => undefined
  const inside = openVenueOn(OPTIONS, ':memory:', {
    clock: { nowMs: Date.now },
    monotonicMs: () => performance.now(),
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
    random: { bytes: (length) => new Uint8Array(length) },
  })
  for (const path of ['/v1/public/config', '/v1/public/futures', '/v1/none']) {
    expect(await service.calls.answer(get(path))).toEqual(await inside.calls.answer(get(path)))
  }
  const symbols = ['PERP_BTC_USDC', 'PERP_NONE_USDC']
  const prices = await service.calls.indexPrices(symbols)
  expect(prices).toEqual(await inside.calls.indexPrices(symbols))
  expect([typeof prices[0], prices[1]]).toEqual(['bigint', null])
  expect(await service.calls.book('PERP_ETH_USDC')).toEqual(
    await inside.calls.book('PERP_ETH_USDC'),
  )
  await inside.close()
})

test('a virtual clock is read in this thread as soon as its move was answered', async () => {
  const { service } = await openThread()
  const startMs = service.clock.nowMs()
  expect(startMs).toBe(OPTIONS.startMs)
  await moveClock(service, 1234)
  expect(service.clock.nowMs()).toBe(startMs + 1234)
  expect(await service.calls.runCommand('clock advance', { by: '1s' })).toEqual({
    nowMs: startMs + 2234,
  })
  expect(service.clock.nowMs()).toBe(startMs + 2234)
})

test('a failure of a command arrives with its code and what it says', async () => {
  const { service } = await openThread()
  const error = await rejection(service.calls.runCommand('restore', { name: 'none' }))
  expect(error).toBeInstanceOf(Failure)
  expect(error).toMatchObject({ code: 'not_found', meta: { parameter: 'name' } })
})

describe('a thread that', () => {
  test.each([
    ['throws', '/fail-throw', 'error'],
    ['leaves a rejection unhandled', '/fail-reject', 'error'],
    ['overflows its stack', '/fail-overflow', 'error'],
    ['fails with much memory', '/fail-memory', 'error'],
    ['exits', '/fail-exit', 'closed'],
    ['never answers again', '/fail-loop', 'silent'],
    ['sends what is no message', '/fail-malformed', 'malformed'],
  ])('%s ends alone, and is started again', async (_, path, reason) => {
    // Of the silent one alone is known when it ends: at the sixth ping, which the others end before on any machine.
    const { service, lines } = await openThread({}, reason === 'silent' ? 100 : 60_000)
    await moveClock(service, 1000)
    const error = await rejection(service.calls.answer(get(path)))
    expect(error).toBeInstanceOf(UpstreamError)
    // It was handed over: whether it happened is not known.
    expect(error).toMatchObject({ fault: 'reset', sent: true })
    const away = await rejection(service.calls.answer(get('/v1/public/config')))
    expect(away).toMatchObject({ fault: 'unreachable', sent: false })
    expect(await answered(service)).toMatchObject({ status: 200 })
    expect(service.restarts()).toBe(1)
    expect(service.clock.nowMs()).toBe(OPTIONS.startMs + 1000)
    expect(service.refusal()).toBeNull()
    expect(lines.map(({ event }) => event)).toEqual(['venue_ended', 'venue_restarted'])
    expect(lines[0]).toMatchObject({ level: 'error', fields: { reason } })
  })

  // Slow: four threads of a venue start one after the other.
  test('ends three times within a minute stays down until the command that starts a new world', async () => {
    const { service, lines } = await openThread()
    await moveClock(service, 1000)
    for (let ends = 1; ends <= 3; ends++) {
      await rejection(service.calls.answer(get('/fail-throw')))
      if (ends < 3) await answered(service)
    }
    expect(service.refusal()).toContain('`prepd --mode admin venue reset`')
    expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'venue_down' })
    expect(service.restarts()).toBe(2)
    const unreachable = { fault: 'unreachable', sent: false }
    expect(await rejection(service.calls.runCommand('hash', {}))).toMatchObject(unreachable)
    expect(await rejection(service.calls.answer(get('/v1/public/config')))).toMatchObject(
      unreachable,
    )
    expect(service.restarts()).toBe(2)

    const reset = await service.calls.runCommand('reset', {})
    expect(reset).toEqual({ nowMs: OPTIONS.startMs })
    expect(service.refusal()).toBeNull()
    expect(await answered(service)).toMatchObject({ status: 200 })
  })

  test('ends three times in more than a minute is started again each time', async () => {
    const { service, time } = await openThread()
    for (let ends = 1; ends <= 3; ends++) {
      await rejection(service.calls.answer(get('/fail-throw')))
      await answered(service)
      time.sinceStartMs += 30_000
    }
    expect(service.restarts()).toBe(3)
    expect(service.refusal()).toBeNull()
  })

  test('does not come to open its venue ends the start, and is not started again', async () => {
    expect(await rejection(openThread({ seed: 667 }, 2))).toMatchObject({
      message: "the embedded venue's thread ended: silent",
    })
  })

  test('cannot open its venue at the start says why, and is not started again', async () => {
    expect(await rejection(openThread({ seed: 666 }))).toMatchObject({
      name: 'RangeError',
      message: 'a planted error',
    })
    const pricesCsv = 'no candle at all'
    expect(await rejection(openThread({ pricesCsv }))).toMatchObject({
      message: expect.stringContaining('line 1 is no candle'),
    })
  })
})

describe('a subscription', () => {
  function listener() {
    const events: string[] = []
    const messages: FeedMessage[] = []
    const waiting = new Map<string, () => void>()
    const at = (event: string) => () => {
      events.push(event)
      waiting.get(event)?.()
    }
    return {
      events,
      messages,
      next: (event: string) => new Promise<void>((resolve) => waiting.set(event, resolve)),
      sink: {
        message: (message: FeedMessage) => void messages.push(message),
        ...{ opened: at('opened'), lost: at('lost') },
        ...{ refused: at('refused'), expired: at('expired') },
      },
    }
  }

  test('gets messages, is lost with its thread, and opened again by the next', async () => {
    const { service } = await openThread()
    const { sink, events, messages, next } = listener()
    const opened = next('opened')
    const end = service.feed.subscribe('PERP_ETH_USDC@bbo', sink)
    await opened
    expect(service.feed.size()).toEqual({ topics: 1, accounts: 0, malformed: 0 })
    const again = next('opened')
    await rejection(service.calls.answer(get('/fail-throw')))
    await again
    expect(events).toEqual(['opened', 'lost', 'opened'])
    await moveClock(service, 60_000)
    expect(messages.map(({ topic }) => topic)).toContain('PERP_ETH_USDC@bbo')
    end()
    expect(service.feed.size()).toEqual({ topics: 0, accounts: 0, malformed: 0 })
    const count = messages.length
    await moveClock(service, 60_000)
    expect(messages.length).toBe(count)
  })

  test('of an account is refused for a key that is not its own', async () => {
    const { service } = await openThread()
    const { sink, next, events } = listener()
    const refused = next('refused')
    const auth = { accountId: '0xa', key: 'none', timestamp: `${Date.now()}`, signature: 'none' }
    service.feed.account(auth, sink)
    await refused
    expect(events).toEqual(['refused'])
    expect(service.feed.size().accounts).toBe(0)
  })
})
