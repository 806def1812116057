/** The groups of an agent's tools in list order. `clock` exists only with a virtual clock. */
export const TOOL_GROUPS = [
  'markets',
  'trading',
  'account',
  'withdrawals',
  'reads',
  'exchange',
  'swaps',
  'vouchers',
  'referrals',
  'clock',
] as const

export type ToolGroup = (typeof TOOL_GROUPS)[number]
