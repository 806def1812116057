import type { ComponentType } from 'preact'
import { OTHER_PAGE_TEXTS } from '../../messages/pages.ts'

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
    title: OTHER_PAGE_TEXTS.portfolio,
    load: () => import('../portfolio/page.tsx').then((code) => code.PortfolioPage),
  },
  {
    name: 'deposit',
    title: OTHER_PAGE_TEXTS.deposit,
    load: () => import('../deposit/page.tsx').then((code) => code.DepositPage),
  },
  {
    name: 'withdraw',
    title: OTHER_PAGE_TEXTS.withdraw,
    load: () => import('../withdraw/page.tsx').then((code) => code.WithdrawPage),
  },
  {
    name: 'swap',
    title: OTHER_PAGE_TEXTS.swap,
    load: () => import('../swap/page.tsx').then((code) => code.SwapPage),
  },
  {
    name: 'leaderboard',
    title: OTHER_PAGE_TEXTS.leaderboard,
    load: () => import('../leaderboard/page.tsx').then((code) => code.LeaderboardPage),
  },
  {
    name: 'liquidations',
    title: OTHER_PAGE_TEXTS.liquidations,
    load: () => import('../liquidations/page.tsx').then((code) => code.LiquidationsPage),
  },
  {
    name: 'vaults',
    title: OTHER_PAGE_TEXTS.vaults,
    load: () => import('../vaults/page.tsx').then((code) => code.VaultsPage),
  },
  {
    name: 'rewards',
    title: OTHER_PAGE_TEXTS.rewards,
    load: () => import('../rewards/page.tsx').then((code) => code.RewardsPage),
  },
]
