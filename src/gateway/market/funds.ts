import type { Answer } from '../../cache/answer.ts'
import { isAddress } from '../../core/hex.ts'
import { numberOf, pick, type Row, rowsAt } from '../../core/json.ts'
import { TOKEN_CHAIN_FIELDS } from '../../spec/market.ts'
import { ROUTES } from '../../spec/routes.ts'
import { readVenue, scrubRead } from '../venue/read.ts'
import { type MarketDeps, publicReply, readParsed, throughCache } from './shaped.ts'

const NAMED_ROWS = ['name'] as const

/** `{rows: [{token, decimals, chain_details}]}`: collateral tokens; `chain_id` is a string, as the venue is not sure. */
export function tokens(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.tokens, async () => {
    const rows = rowsAt(await readParsed(deps, '/v1/public/token'), 'rows')
    return publicReply(deps, { rows: rows.map(tokenRow) })
  })
}

function tokenRow(row: Row): Row {
  const { token, decimals } = row
  return { token, decimals, chain_details: chainsOf(row).map(tokenChain) }
}

function chainsOf(row: Row): readonly Row[] {
  return rowsAt(row, 'chain_details')
}

function tokenChain(chain: Row): Row {
  return { ...pick(chain, TOKEN_CHAIN_FIELDS), chain_id: chainId(chain) }
}

function chainId(chain: Row): string {
  return String(numberOf(chain['chain_id']) ?? chain['chain_id'] ?? '')
}

/** `{rows}`: chains that take USDC; a chain whose vault or USDC has no address is dropped. */
export function depositChains(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.depositChains, async () => {
    const brokerId = encodeURIComponent(deps.operator.brokerId)
    const [chains, tokenRows] = await Promise.all([
      readParsed(deps, `/v1/public/chain_info?broker_id=${brokerId}`),
      readParsed(deps, '/v1/public/token'),
    ])
    const usdc = rowsAt(tokenRows, 'rows').find((row) => row['token'] === 'USDC') ?? {}
    const details = new Map(chainsOf(usdc).map((chain) => [chainId(chain), chain]))
    const rows = rowsAt(chains, 'rows').flatMap((chain) =>
      depositRow(chain, details.get(chainId(chain))),
    )
    return publicReply(deps, { rows }, NAMED_ROWS)
  })
}

function depositRow(chain: Row, token: Row | undefined): readonly Row[] {
  const vault = chain['vault_address']
  const usdc = token?.['contract_address']
  if (!token || !isEvmAddress(vault) || !isEvmAddress(usdc)) return []
  return [
    {
      chainId: Number(chainId(chain)),
      name: chain['name'],
      vault,
      usdc,
      explorer: chain['explorer_base_url'],
      nativeSymbol: chain['currency_symbol'],
      withdrawalFee: token['withdraw_fee'],
      decimals: token['decimals'],
    },
  ]
}

function isEvmAddress(value: unknown): boolean {
  return typeof value === 'string' && isAddress(value)
}

/** The insurance fund, the venue's own object. */
export function insuranceFund(deps: MarketDeps): Promise<Answer> {
  return throughCache(deps, ROUTES.insuranceFund, async () => {
    const text = await readVenue(deps, { path: '/v1/public/insurancefund' })
    return scrubRead(deps.scrub, text, { audience: 'public' })
  })
}
