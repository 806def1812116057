import type { Tool } from '../tool.ts'
import { ACCOUNT_TOOLS } from './account.ts'
import { ALGO_TOOLS } from './algo.ts'
import { CATALOGUE_TOOLS } from './catalogue.ts'
import { EXCHANGE_TOOLS, TIME_TOOLS } from './exchange.ts'
import { MARKET_TOOLS } from './markets.ts'
import { ORDER_TOOLS } from './orders.ts'
import { REFERRAL_TOOLS } from './referral.ts'
import { REPORT_TOOLS } from './report.ts'
import { SETTING_TOOLS } from './settings.ts'
import { SWAP_TOOLS } from './swap.ts'
import { TRADE_TOOLS } from './trade.ts'
import { VOUCHER_TOOLS } from './voucher.ts'
import { WAIT_TOOLS } from './wait-for.ts'
import { WITHDRAWAL_TOOLS } from './withdrawal.ts'

/** Every tool, in the order in which agents read them: the common ones first. */
export const TOOLS: readonly Tool[] = [
  ...MARKET_TOOLS,
  ...TRADE_TOOLS,
  ...ACCOUNT_TOOLS,
  ...REPORT_TOOLS,
  ...ORDER_TOOLS,
  ...ALGO_TOOLS,
  ...WAIT_TOOLS,
  ...TIME_TOOLS,
  ...SETTING_TOOLS,
  ...WITHDRAWAL_TOOLS,
  ...CATALOGUE_TOOLS,
  ...EXCHANGE_TOOLS,
  ...SWAP_TOOLS,
  ...VOUCHER_TOOLS,
  ...REFERRAL_TOOLS,
]
