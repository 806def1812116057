import { DepositChainRow, TokenRow } from '../../contract/market.ts'
import { ROUTES } from '../../contract/routes.ts'
import { isAddress } from '../../core/hex.ts'
import { isObject, type Row, rowsAt, toFloat } from '../../core/json.ts'
import type { Answer } from '../cache/answer.ts'
import { readVenue, scrubRead } from '../venue/read.ts'
import { answerFromCache, type MarketAccess, publicReply, readParsed } from './cached-answers.ts'
import { listIn } from './rows.ts'
import { typedRows } from './typed-rows.ts'

const NAMED_ROWS = ['name'] as const

/**
 * `{rows: [{token, decimals, chain_details}]}`: collateral tokens. `chain_id` is always a string; the venue sends
 * numbers and strings.
 */
export function tokens(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.tokens, async () => {
    const listed = listIn(await readParsed(deps, '/v1/public/token'))
    const rows = listed?.map((row) => (isObject(row) ? { chain_details: [], ...row } : row))
    return publicReply(deps, { rows: typedRows(deps, 'tokens', TokenRow, rows) })
  })
}

/** A chain's id as text, whether the venue sends a number or a text. */
function chainId(chain: Row): string {
  return String(toFloat(chain['chain_id']) ?? chain['chain_id'] ?? '')
}

/** `{rows}`: chains on which USDC can be deposited. A chain without an address of its vault or USDC is left out. */
export function depositChains(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.depositChains, async () => {
    const brokerId = encodeURIComponent(deps.operator.brokerId)
    const [chains, tokenRows] = await Promise.all([
      readParsed(deps, `/v1/public/chain_info?broker_id=${brokerId}`),
      readParsed(deps, '/v1/public/token'),
    ])
    const usdc = rowsAt(tokenRows, 'rows').find((row) => row['token'] === 'USDC') ?? {}
    const details = new Map(rowsAt(usdc, 'chain_details').map((chain) => [chainId(chain), chain]))
    const listed = listIn(chains)
    const rows = listed?.flatMap((chain) => (isObject(chain) ? depositRow(chain, details) : null))
    const typed = typedRows(deps, 'depositChains', DepositChainRow, rows)
    return publicReply(deps, { rows: typed }, NAMED_ROWS)
  })
}

function depositRow(chain: Row, details: ReadonlyMap<string, Row>): readonly Row[] {
  const token = details.get(chainId(chain))
  const vault = chain['vault_address']
  const usdc = token?.['contract_address']
  if (!token || !isEvmAddress(vault) || !isEvmAddress(usdc)) return []
  return [
    {
      chainId: chain['chain_id'],
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

/** The insurance fund, in the form of the venue's object. */
export function insuranceFund(deps: MarketAccess): Promise<Answer> {
  return answerFromCache(deps, ROUTES.insuranceFund, async () => {
    const text = await readVenue(deps, { path: '/v1/public/insurancefund' })
    return scrubRead(deps.scrub, text, { audience: 'public' })
  })
}
