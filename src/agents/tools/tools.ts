import { TOOL_GROUPS, type ToolGroup } from '../../contract/tool-groups.ts'
import type { Tool } from '../tool.ts'
import { ACCOUNT_TOOLS } from './account.ts'
import { ALGO_TOOLS } from './algo.ts'
import { CATALOGUE_TOOLS } from './catalogue.ts'
import { CLOCK_TOOLS } from './clock.ts'
import { EXCHANGE_TOOLS, TIME_TOOLS } from './exchange.ts'
import { MARKET_TOOLS } from './markets.ts'
import { ORDER_TOOLS } from './orders.ts'
import { REBALANCE_TOOLS } from './rebalance.ts'
import { REFERRAL_TOOLS } from './referral.ts'
import { REPORT_TOOLS } from './report.ts'
import { SETTING_TOOLS } from './settings.ts'
import { STANDBY_TOOLS } from './standby.ts'
import { SWAP_TOOLS } from './swap.ts'
import { TRADE_TOOLS } from './trade.ts'
import { VOUCHER_TOOLS } from './voucher.ts'
import { WAIT_TOOLS } from './wait-for.ts'
import { WITHDRAWAL_TOOLS } from './withdrawal.ts'

/** The tools of each group. */
const GROUPS: Readonly<Record<ToolGroup, readonly Tool[]>> = {
  markets: [...MARKET_TOOLS, ...WAIT_TOOLS, ...TIME_TOOLS],
  trading: [...TRADE_TOOLS, ...REBALANCE_TOOLS, ...ALGO_TOOLS, ...STANDBY_TOOLS, ...SETTING_TOOLS],
  account: [...ACCOUNT_TOOLS, ...REPORT_TOOLS, ...ORDER_TOOLS],
  withdrawals: WITHDRAWAL_TOOLS,
  reads: CATALOGUE_TOOLS,
  exchange: EXCHANGE_TOOLS,
  swaps: SWAP_TOOLS,
  vouchers: VOUCHER_TOOLS,
  referrals: REFERRAL_TOOLS,
  clock: CLOCK_TOOLS,
}

/** The tools of these groups, in the order in which agents get them: the most common groups first. */
export function groupTools(groups: readonly ToolGroup[]): readonly Tool[] {
  return TOOL_GROUPS.filter((group) => groups.includes(group)).flatMap((group) => GROUPS[group])
}

/** Every tool, except the tools of a virtual clock. */
export const TOOLS: readonly Tool[] = groupTools(TOOL_GROUPS.filter((group) => group !== 'clock'))

/** The tools for a venue. They include the virtual clock's tools if accounts may advance the clock. */
export function toolsBefore(isClockTheirs: boolean): readonly Tool[] {
  return isClockTheirs ? [...TOOLS, ...CLOCK_TOOLS] : TOOLS
}
