import { describe, expect, test } from 'bun:test'
import { CLAMPS, LIMITS, POLICIES } from '../../src/contract/limits.ts'
import { operationLifetime } from '../../src/contract/operations.ts'
import { ROUTES, type Route } from '../../src/contract/routes.ts'
import { SWAP_LIFETIMES, SWAP_LIMITS, SWAP_TOKENS_CLAMP } from '../../src/contract/swap.ts'
import { PENDING_RETRY_SECONDS, VOUCHER_LIMITS } from '../../src/contract/voucher.ts'
import { VALIDITY_SECONDS } from '../../src/contract/voucher-config.ts'

// Every figure of the specification, written down a second time, so that none changes by a slip of the hand.
describe('the limits are those of the specification', () => {
  test('of the gateway', () => {
    expect<object>(LIMITS).toEqual({
      httpBodyMaxBytes: 262_144,
      httpBodyDeadlineMs: 5_000,
      httpBodiesMaxBytes: 67_108_864,
      httpSmallBodyMaxBytes: 4096,
      httpSmallBodiesMaxBytes: 33_554_432,
      httpBodyShares: 4,
      httpBodyDepthMax: 64,
      packedOnceMaxBytes: 524_288,
      encodingsKnownMax: 256,
      callersKnownMaxChars: 524_288,
      windowsKnownMaxChars: 131_072,
      relayPathMinChars: 2,
      relayPathMaxChars: 512,
      relayBodyMaxChars: 32_768,
      relayKeyMaxChars: 128,
      relaySignatureMinChars: 16,
      relaySignatureMaxChars: 256,
      relayTimestampMinDigits: 10,
      relayTimestampMaxDigits: 16,
      signatureAgeMaxMs: 300_000,
      claimMarginMs: 60_000,
      claimLifeMaxMs: 660_000,
      claimsHeldMax: 1_000_000,
      claimShares: 10,
      orderIdsHeldMax: 50_000,
      spendingRowsMax: 10_000,
      proofsSeenMax: 10_000,
      nonceLifeMs: 120_000,
      keyLifeMaxMs: 31_536_000_000,
      keyLifeVirtualMaxMs: 3_153_600_000_000,
      queryMaxChars: 8192,
      queryValueMaxChars: 512,
      streamTopicsMaxChars: 6500,
      toolResultFrameBytes: 4000,
      toolPayloadDefaultBytes: 2400,
      orderWaitMaxMs: 3_000,
      orderLookEveryMs: 200,
      reportPagesMax: 4,
      reportPageRows: 500,
      toolResultMaxBytes: 60_000,
      upstreamBodyMaxBytes: 16_777_216,
      upstreamReadBodiesMaxBytes: 67_108_864,
      upstreamWriteBodiesMaxBytes: 33_554_432,
      upstreamHeadMaxBytes: 262_144,
      upstreamOpeningMax: 256,
      upstreamReadDeadlineMs: 10_000,
      upstreamWriteDeadlineMs: 15_000,
      stopDeadlineMs: 20_000,
      upstreamReducingReserved: 32,
      upstreamShares: 4,
      upstreamConcurrentMax: 192,
      upstreamWriteReserved: 64,
      upstreamReadQueuedMax: 16_384,
      upstreamWriteQueuedMax: 2048,
      upstreamReadIdleMs: 20_000,
      upstreamWriteIdleMs: 4_000,
      upstreamUnreadMaxBytes: 1_048_576,
      peerSilenceMaxMs: 700,
      peerLookEveryMs: 250,
      cacheRenewPauseMs: 2_000,
      clientDeadlineMs: 30_000,
      proxyHopsMax: 32,
      bodyFaultsMax: 16,
      postgresWaitMaxMs: 1_000,
      postgresShares: 2,
      postgresQueuedMax: 2048,
      engineSkewWarnMs: 1_000,
      engineSkewMaxMs: 30_000,
      venueSkewMaxMs: 30_000,
      ownClaimsMax: 200_000,
      ownReservationsMax: 50_000,
      scrubDepthMax: 64,
      cacheDiskKeysMax: 100_000,
      cacheDiskLifeMinMs: 60_000,
      cacheDiskMinuteMaxBytes: 1_048_576,
      cacheMemoryMaxBytes: 33_554_432,
      limiterKeysMax: 1_000_000,
      overflowWindows: 1024,
      verifierKeysMax: 10_000,
      replayAnswersMaxBytes: 16_777_216,
      tlsLookMs: 10_000,
      practiceRowsMax: 1000,
      practiceFundMaxUsdc: 10_000_000,
      settingsFileMaxBytes: 1_048_576,
      pricesFileMaxBytes: 67_108_864,
      tomlKeysMax: 4000,
      upstreamFramingMaxBytes: 16_384,
    })
  })

  test('of swaps', () => {
    expect<object>(SWAP_LIMITS).toEqual({
      slippageMinBps: 1,
      slippageMaxBps: 2000,
      slippageDefaultBps: 50,
      searchMaxChars: 64,
      decimalsMax: 36,
      symbolMaxChars: 32,
      nameMaxChars: 64,
      urlMaxChars: 256,
      calldataMaxBytes: 65_536,
      quoteRowsMax: 32,
      costsFreeUsd: 20n,
      gasFreeUsd: 250n,
      gasLimitMax: 30_000_000n,
      gasPriceMaxWei: 10_000_000_000_000n,
      chainsMax: 256,
      tokensPerChainMax: 20_000,
      quoteLifeMs: 60_000,
      durationMaxSeconds: 604_800,
      quoteDeadlineMs: 15_000,
      listDeadlineMs: 20_000,
      statusDeadlineMs: 10_000,
      quoteBodyMaxBytes: 1_048_576,
      listBodyMaxBytes: 16_777_216,
      concurrentMax: 32,
      queuedMax: 128,
      retryPauseMs: 250,
      quotaPauseDefaultSeconds: 60,
      quotaPauseMaxSeconds: 7200,
    })
  })

  test('of vouchers', () => {
    expect<object>({ ...VOUCHER_LIMITS, PENDING_RETRY_SECONDS, VALIDITY_SECONDS }).toEqual({
      bodyMaxBytes: 1024,
      reissueMarginSeconds: 60,
      capWindowSeconds: 86_400,
      clockSkewMaxMs: 300_000,
      unknownHashMs: 10_000,
      unknownHashesMax: 10_000,
      validityMaxSeconds: 604_800,
      signerDeadlineMs: 5000,
      signerAnswerMaxBytes: 1024,
      watchEveryMs: 15_000,
      flightsMax: 64,
      headMs: 3000,
      endpointDeadlineMs: 8000,
      endpointWaitMs: 1000,
      endpointAnswerMaxBytes: 4_194_304,
      logsMax: 10_000,
      listRowsMax: 500,
      PENDING_RETRY_SECONDS: 15,
      VALIDITY_SECONDS: 86_400,
    })
  })

  test('of lists: at least, at most, and unless asked otherwise', () => {
    const clamps = Object.entries({ ...CLAMPS, swapTokens: SWAP_TOKENS_CLAMP })
    expect(clamps.map(([name, { min, max, fallback }]) => [name, min, max, fallback])).toEqual([
      ['candles', 1, 500, 100],
      ['trades', 1, 200, 50],
      ['liquidations', 1, 100, 20],
      ['leaderboard', 1, 200, 50],
      ['whales', 1, 200, 25],
      ['swapTokens', 1, 500, 100],
    ])
  })

  test('of rates: requests in how many seconds, of which how many at once', () => {
    const policies = Object.entries(POLICIES)
    expect(policies.map(([name, row]) => [name, row.requests, row.seconds, row.burst])).toEqual([
      ['read', 600, 60, 120],
      ['write', 10, 60, 5],
      ['relay', 300, 60, 60],
      ['account', 300, 60, 60],
      ['cancel', 600, 60, 120],
      ['mcp', 300, 60, 60],
      ['swap_quote', 30, 60, 10],
      ['swap', 60, 60, 20],
      ['voucher', 10, 60, 5],
      ['referral', 10, 60, 5],
      ['admin', 60, 60, 20],
    ])
  })
})

describe('lifetimes: seconds fresh, then stale while renewed, then stale while the venue fails', () => {
  const secondsOf = (lifetime: Route['lifetime']) =>
    lifetime && [
      lifetime.freshSeconds,
      lifetime.staleWhileRevalidateSeconds,
      lifetime.staleIfErrorSeconds,
    ]

  test('of named routes', () => {
    const rows = Object.entries<Route>(ROUTES).flatMap(([name, { lifetime }]) =>
      lifetime ? [[name, secondsOf(lifetime)]] : [],
    )
    expect(Object.fromEntries(rows)).toEqual({
      catalogue: [300, 3600, 3600],
      markets: [5, 0, 60],
      marketRules: [3600, 0, 3600],
      candles: [5, 0, 60],
      funding: [30, 0, 300],
      config: [3600, 0, 3600],
      tokens: [3600, 0, 3600],
      depositChains: [3600, 0, 3600],
      insuranceFund: [60, 0, 600],
      liquidations: [30, 0, 300],
      leaderboard: [60, 0, 600],
      whales: [60, 0, 600],
      marketSessions: [60, 0, 600],
      referralVerify: [300, 0, 3000],
      swapTokens: [3600, 0, 86_400],
      swapChains: [3600, 0, 86_400],
    })
  })

  test('of swaps, on this side', () => {
    const rows = Object.entries(SWAP_LIFETIMES).map(([name, row]) => [name, secondsOf(row)])
    expect(Object.fromEntries(rows)).toEqual({
      chains: [3600, 0, 86_400],
      tokens: [3600, 0, 86_400],
      indicativeQuote: [10, 0, 0],
      status: [3, 0, 0],
      finalStatus: [3600, 0, 0],
    })
  })

  test('of catalogued reads follow from how long each is fresh, to an hour at most', () => {
    expect(secondsOf(operationLifetime('markets.list'))).toEqual([5, 0, 50])
    expect(secondsOf(operationLifetime('platform.tvl'))).toEqual([300, 0, 3000])
    expect(secondsOf(operationLifetime('markets.rules'))).toEqual([3600, 0, 3600])
    expect(secondsOf(operationLifetime('vault.positions'))).toEqual([0, 0, 0])
  })
})
