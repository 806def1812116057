import type { ComponentType } from 'preact'
import { N } from '../../messages/pages.ts'

/** A page other than trading: its address segment, its link text, and the function that loads its code. */
type PageRow = {
  readonly name: string
  readonly title: string
  readonly load: () => Promise<ComponentType>
}

/** The pages other than trading, in the order of their links. */
export const PAGES: readonly PageRow[] = [
  {
    name: 'portfolio',
    title: N.portfolio,
    load: () => import('../portfolio/page.tsx').then((code) => code.PortfolioPage),
  },
  {
    name: 'deposit',
    title: N.deposit,
    load: () => import('../deposit/page.tsx').then((code) => code.DepositPage),
  },
  {
    name: 'withdraw',
    title: N.withdraw,
    load: () => import('../withdraw/page.tsx').then((code) => code.WithdrawPage),
  },
  {
    name: 'swap',
    title: N.swap,
    load: () => import('../swap/page.tsx').then((code) => code.SwapPage),
  },
  {
    name: 'leaderboard',
    title: N.leaderboard,
    load: () => import('../leaderboard/page.tsx').then((code) => code.LeaderboardPage),
  },
  {
    name: 'liquidations',
    title: N.liquidations,
    load: () => import('../liquidations/page.tsx').then((code) => code.LiquidationsPage),
  },
  {
    name: 'vaults',
    title: N.vaults,
    load: () => import('../vaults/page.tsx').then((code) => code.VaultsPage),
  },
  {
    name: 'rewards',
    title: N.rewards,
    load: () => import('../rewards/page.tsx').then((code) => code.RewardsPage),
  },
]
