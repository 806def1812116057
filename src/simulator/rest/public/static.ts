/** Paths with constant answers, which need no simulation. */
export const CONSTANT_PATHS: ReadonlySet<string> = new Set([
  '/v1/get_account',
  '/v1/get_all_accounts',
  '/v1/get_broker',
  '/v1/get_orderly_key',
  '/v1/ip_info',
  '/v1/public/account',
  '/v1/public/announcement',
  '/v1/public/chain_info',
  '/v1/public/config',
  '/v1/public/system_info',
  '/v1/public/token',
  '/v1/registration_nonce',
  '/v1/tv/config',
  '/v1/tv/symbol_info',
  '/v2/public/announcement',
])

/** The leverages that users can select, which never change. */
export const LEVERAGES = {
  path: '/v1/public/config',
  content: { available_futures_leverage: '1,2,3,4,5,10,15,20,50,100' },
} as const
