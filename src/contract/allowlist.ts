type RelayFamily =
  | 'account'
  | 'positions'
  | 'orders'
  | 'balance'
  | 'volume'
  | 'referral'
  | 'notifications'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type RelayPath = {
  readonly family: RelayFamily
  /** The path without its query. As last segment, {id} matches digits and {symbol} a market. */
  readonly path: string
  readonly methods: readonly Method[]
  /** The scope that a key needs, if it differs from the result of `keyScope` for the method. */
  readonly scope?: 'asset'
  /** Words accepted in place of {id}, each with its own methods. */
  readonly words?: Readonly<Record<string, readonly Method[]>>
}

const INBOX_METHODS = {
  notifications: ['GET'],
  unread: ['GET'],
  mark_read: ['POST'],
  mark_read_all: ['POST'],
} as const

/** Allowlist of private paths that are relayed, with the methods of each. All other calls are forbidden. */
// biome-ignore format: one path a line
export const RELAY_PATHS: readonly RelayPath[] = [
  { family: 'account', path: '/v1/client/info', methods: ['GET'] },
  { family: 'account', path: '/v1/client/holding', methods: ['GET'] },
  { family: 'account', path: '/v1/client/statistics', methods: ['GET'] },
  { family: 'account', path: '/v1/client/leverage', methods: ['GET', 'POST'] },
  { family: 'account', path: '/v1/client/leverages', methods: ['GET', 'POST'] },
  { family: 'account', path: '/v1/client/margin_mode', methods: ['POST'] },
  { family: 'account', path: '/v1/client/margin_modes', methods: ['GET'] },
  { family: 'account', path: '/v1/client/key_info', methods: ['GET'] },
  { family: 'positions', path: '/v1/positions', methods: ['GET'] },
  { family: 'positions', path: '/v1/position/{symbol}', methods: ['GET'] },
  { family: 'positions', path: '/v1/position_history', methods: ['GET'] },
  { family: 'positions', path: '/v1/position_margin', methods: ['POST'] },
  { family: 'positions', path: '/v1/liquidations', methods: ['GET'] },
  { family: 'positions', path: '/v1/funding_fee/history', methods: ['GET'] },
  { family: 'orders', path: '/v1/order', methods: ['POST', 'PUT', 'DELETE'] },
  { family: 'orders', path: '/v1/order/{id}', methods: ['GET'] },
  { family: 'orders', path: '/v1/orders', methods: ['GET', 'DELETE'] },
  { family: 'orders', path: '/v1/batch-order', methods: ['POST', 'DELETE'] },
  { family: 'orders', path: '/v1/algo/order', methods: ['POST', 'PUT', 'DELETE'] },
  { family: 'orders', path: '/v1/algo/order/{id}', methods: ['GET'] },
  { family: 'orders', path: '/v1/algo/orders', methods: ['GET', 'DELETE'] },
  { family: 'orders', path: '/v1/trades', methods: ['GET'] },
  { family: 'orders', path: '/v1/trade/{id}', methods: ['GET'] },
  { family: 'balance', path: '/v1/withdraw_request', methods: ['POST'] },
  { family: 'balance', path: '/v1/withdraw_nonce', methods: ['GET'] },
  { family: 'balance', path: '/v1/settle_nonce', methods: ['GET'] },
  { family: 'balance', path: '/v1/settle_pnl', methods: ['POST'] },
  { family: 'balance', path: '/v1/pnl_settlement/history', methods: ['GET'] },
  { family: 'balance', path: '/v1/asset/history', methods: ['GET'] },
  { family: 'balance', path: '/v1/internal_transfer', methods: ['POST'], scope: 'asset' },
  { family: 'balance', path: '/v1/internal_transfer_history', methods: ['GET'], scope: 'asset' },
  { family: 'volume', path: '/v1/volume/user/daily', methods: ['GET'] },
  { family: 'volume', path: '/v1/volume/user/stats', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/info', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/bind', methods: ['POST'] },
  { family: 'referral', path: '/v1/referral/rebate_summary', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/referee_info', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/referee_rebate_summary', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/referral_history', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/referee_history', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/edit_referral_code', methods: ['POST'] },
  { family: 'referral', path: '/v1/referral/multi_level/statistics', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/multi_level/referee_list', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/multi_level/rebate_info', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/multi_level/max_rebate_rate', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/multi_level/volume_prerequisite', methods: ['GET'] },
  { family: 'referral', path: '/v1/referral/multi_level/claim_code', methods: ['POST'] },
  { family: 'notifications', path: '/v1/notification/inbox', methods: ['GET'] },
  { family: 'notifications', path: '/v1/notification/inbox/{id}', methods: ['GET'], words: INBOX_METHODS },
]

/** The families and paths of writes that the venue accepts from a read-only key. */
const READ_SCOPE: ReadonlySet<RelayFamily> = new Set(['notifications'])
const READ_SCOPE_PATHS: ReadonlySet<string> = new Set([
  '/v1/client/leverage',
  '/v1/client/leverages',
  '/v1/client/margin_mode',
])

/** The scope that a key needs for a call of a relayed path. */
export function keyScope(method: Method, path: string): 'read' | 'trading' | 'asset' {
  const row = RELAY_PATHS.find((known) => known.path === path)
  if (row?.scope) return row.scope
  const isRead = method === 'GET' || READ_SCOPE_PATHS.has(path)
  return isRead || (row && READ_SCOPE.has(row.family)) ? 'read' : 'trading'
}
