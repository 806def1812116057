/** The names of all pages except trading, and the texts for a missing page. They are loaded after the first paint. */
export const OTHER_PAGE_TEXTS = {
  portfolio: 'Portfolio',
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  swap: 'Swap',
  leaderboard: 'Leaderboard',
  liquidations: 'Liquidations',
  vaults: 'Vaults',
  rewards: 'Referral and points',
  unknown: 'There is no such page here.',
  failed: 'The page could not be loaded.',
} as const
