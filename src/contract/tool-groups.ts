/** The groups of an agent's tools, in the order in which they are listed; `clock` in front of a virtual clock alone. */
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
