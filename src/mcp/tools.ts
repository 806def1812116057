import type { Tool } from './tool.ts'
import { ACCOUNT_TOOLS } from './tools-account.ts'
import { ALGO_TOOLS } from './tools-algo.ts'
import { CATALOGUE_TOOLS } from './tools-catalogue.ts'
import { EXCHANGE_TOOLS } from './tools-exchange.ts'
import { MARKET_TOOLS } from './tools-markets.ts'
import { ORDER_TOOLS } from './tools-orders.ts'
import { REFERRAL_TOOLS } from './tools-referral.ts'
import { SETTING_TOOLS } from './tools-settings.ts'
import { SWAP_TOOLS } from './tools-swap.ts'
import { TRADE_TOOLS } from './tools-trade.ts'

/** Every tool, in the order in which agents read them: the common ones first. */
export const TOOLS: readonly Tool[] = [
  ...MARKET_TOOLS,
  ...TRADE_TOOLS,
  ...ACCOUNT_TOOLS,
  ...ORDER_TOOLS,
  ...ALGO_TOOLS,
  ...SETTING_TOOLS,
  ...CATALOGUE_TOOLS,
  ...EXCHANGE_TOOLS,
  ...SWAP_TOOLS,
  ...REFERRAL_TOOLS,
]
