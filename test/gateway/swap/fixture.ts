import { Failure } from '../../../src/core/failure.ts'
import type { Log } from '../../../src/core/ports.ts'
import { parseQuery } from '../../../src/core/query.ts'
import { createCache } from '../../../src/gateway/cache/cache.ts'
import { createSingleFlight } from '../../../src/gateway/cache/single-flight.ts'
import { DISK_COSTS } from '../../../src/gateway/cache/store-share.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import type { SwapAccess } from '../../../src/gateway/swap/access.ts'
import type { SwapOrder, SwapProvider } from '../../../src/gateway/swap/provider.ts'
import { remoteSwap } from '../../../src/gateway/swap/remote/provider.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import {
  type AnswerSpec,
  type Recorded,
  type RecordingUpstream,
  startRecordingUpstream,
} from '../../recording-upstream.ts'
import wire from '../../vectors/swap-wire.json'

export const START_MS = 1_760_000_000_000
export const WALLET = '0x552008c0f6870c2f77e5cC1d2eb9bdff03e30Ea0'
export const HASH = `0x${'1'.repeat(64)}`

/** What the recorded quote answers. */
export const QUOTE_QUERY = {
  fromChain: '42161',
  toChain: '8453',
  fromToken: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  toToken: '0x0000000000000000000000000000000000000000',
  fromAmount: '100000000',
  fromAddress: WALLET,
} as const

export type WireName = keyof typeof wire

type Answers = Partial<Record<WireName, AnswerSpec | ((request: Recorded) => AnswerSpec)>>

const started: RecordingUpstream[] = []

/** To be called after each test. */
export async function stopSwapUpstreams(): Promise<void> {
  for (const server of started.splice(0)) await server.stop()
}

/** An upstream that answers the recorded shapes, but for what `answers` says otherwise; `answers` may be changed. */
export async function startSwapUpstream(answers: Answers = {}) {
  const server = await startRecordingUpstream((request) => {
    const name = wireNameOf(request)
    if (name === null) return { status: 404, json: { message: 'no such path', code: 1003 } }
    const spec = answers[name] ?? { json: wire[name] }
    return typeof spec === 'function' ? spec(request) : spec
  })
  started.push(server)
  return server
}

/** Which call a request is: its path and nothing else. */
export function wireNameOf({ target }: Pick<Recorded, 'target'>): WireName | null {
  const name = /^\/v1\/([a-z]+)\?/.exec(target)?.[1]
  return name !== undefined && isWireName(name) ? name : null
}

function isWireName(name: string): name is WireName {
  return Object.hasOwn(wire, name)
}

type Line = { readonly level: string; readonly event: string; readonly fields: unknown }

/** A clock to move, a log to read. */
export function swapWorld() {
  const lines: Line[] = []
  const write = (level: string) => (event: string, fields?: unknown) => {
    lines.push({ level, event, fields })
  }
  const log: Log = {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
  }
  const world = {
    nowMs: START_MS,
    clock: { nowMs: () => world.nowMs },
    random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
    log,
    lines,
  }
  return world
}

export type SwapWorld = ReturnType<typeof swapWorld>

/** The verbs’ dependencies on a real cache, store and scrub. */
export function swapDeps(world: SwapWorld, provider: SwapProvider | null): SwapAccess {
  const { clock, random, log } = world
  const store = openSqlite(':memory:', 0).responses
  return {
    clock,
    random,
    log,
    scrub: createScrub({ names: [] }),
    cache: createCache({
      clock,
      wallClock: clock,
      isStepped: false,
      log,
      store,
      storeCosts: DISK_COSTS,
      leases: null,
      memoryMaxBytes: 10_000_000,
      waitMaxMs: 10_000,
    }),
    provider,
    quotes: createSingleFlight(() => undefined),
  }
}

/** A gateway whose swap upstream is the recording one. */
export async function swapFixture(
  answers: Answers = {},
  options: { readonly routers?: readonly string[]; readonly key?: string } = {},
) {
  const server = await startSwapUpstream(answers)
  const world = swapWorld()
  const provider = remoteSwap({
    base: new URL(server.url),
    key: options.key ?? null,
    integrator: null,
    routers: options.routers ? new Set(options.routers) : null,
    clock: world.clock,
    log: world.log,
  })
  const sent = (name: WireName) => server.requests.filter((one) => wireNameOf(one) === name)
  return { server, world, provider, deps: swapDeps(world, provider), sent, answers }
}

/** A query of names and values; undefined leaves one out. */
export function queryOf(values: Readonly<Record<string, string | undefined>>) {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return parseQuery(pairs.join('&'))
}

/** A deep copy of a recorded answer with one leaf replaced, by its path such as `estimate.toAmount`. */
export function wireWith(name: WireName, changes: Readonly<Record<string, unknown>>): unknown {
  const copy: unknown = structuredClone(wire[name])
  for (const [path, value] of Object.entries(changes)) assign(copy, path.split('.'), value)
  return copy
}

function assign(target: unknown, [first, ...rest]: readonly string[], value: unknown): void {
  if (typeof target !== 'object' || target === null || first === undefined) {
    throw new Error(`no such path: ${first}`)
  }
  if (rest.length === 0) Reflect.set(target, first, value)
  else assign(Reflect.get(target, first), rest, value)
}

/** The order that the recorded quote answers. */
export const ORDER: SwapOrder = {
  fromChainId: 42161,
  toChainId: 8453,
  fromToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  toToken: `0x${'0'.repeat(40)}`,
  fromAmount: 100_000_000n,
  wallets: { from: WALLET.toLowerCase(), to: WALLET.toLowerCase() },
  slippageBps: 50,
  preference: 'CHEAPEST',
}

/** How a call fails: code and meta; an answer or an error of another kind is answered as text. */
export async function failureOf(call: Promise<unknown>): Promise<object | string> {
  return call.then(
    () => 'an answer',
    (error: unknown) =>
      error instanceof Failure ? { code: error.code, ...error.meta } : `${error}`,
  )
}
