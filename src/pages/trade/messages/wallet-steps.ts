/** The texts of steps that wait for a wallet. */
export const WALLET_STEP_TEXTS = {
  stop: 'Stop',
  unnamed: 'Browser wallet',
  waiting: 'Too many calls come from this network address: it goes on by itself in',
} as const
