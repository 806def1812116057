import { expect, test } from 'bun:test'
import { demoTransactionHash } from '../../../../src/core/crypto/demo-swap.ts'
import { embeddedSwap } from '../../../../src/gateway/swap/embedded/provider.ts'
import { swapChains, swapTokens } from '../../../../src/gateway/swap/lists.ts'
import { swapQuote } from '../../../../src/gateway/swap/quote.ts'
import { swapStatus } from '../../../../src/gateway/swap/status.ts'
import { QUOTE_QUERY, queryOf, swapDeps, swapWorld } from '../fixture.ts'

async function read(answer: Promise<{ readonly reply: { readonly text: () => string } }>) {
  return JSON.parse((await answer).reply.text())
}

test('with no network at all a swap is quoted, sent and followed to its end', async () => {
  const world = swapWorld()
  const pricesOf = async (bases: readonly string[]) =>
    bases.map((base) => (base === 'ETH' ? 240_000_000_000n : null))
  const deps = swapDeps(world, embeddedSwap({ seed: 7, pricesOf, ...world }))
  const { rows: chains } = await read(swapChains(deps))
  expect(chains.map(({ name }: { name: string }) => name)).toContain('Arbitrum')
  const { rows: tokens } = await read(swapTokens(deps, queryOf({ chainId: '8453' })))
  expect(tokens[0]).toMatchObject({ symbol: 'ETH', priceUsd: '2400' })

  const quote = await read(swapQuote(deps, queryOf(QUOTE_QUERY)))
  expect(quote).toMatchObject({ fromAmountUsd: '100.00', approval: { amount: '100000000' } })
  const txHash = demoTransactionHash(quote.transaction.data)

  const seen: string[] = []
  for (let looks = 0; looks < 6; looks++) {
    const { status, substatus } = await read(swapStatus(deps, queryOf({ txHash })))
    seen.push(`${status} ${substatus}`)
    world.nowMs += 3000
  }
  expect([...new Set(seen)]).toEqual([
    'NOT_FOUND null',
    'PENDING WAITING_DESTINATION',
    'DONE COMPLETED',
  ])
  const done = await read(swapStatus(deps, queryOf({ txHash })))
  expect(done).toMatchObject({ final: true, receiving: { amount: quote.toAmount } })
  expect(done.sending.txLink).toBe(`https://arbiscan.io/tx/${txHash}`)
  expect(world.lines).toEqual([])
})
