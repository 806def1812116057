import type { CommandFlag } from '../command.ts'

/** The two nodes on this machine between which the tour makes a voucher. */
export const TOUR_FLAGS = {
  source: {
    flag: '--source-node',
    value: { shown: 'URL', kind: 'apiUrl' },
    meaning: 'Local development node to deposit on; the tour then also redeems a voucher.',
  },
  destination: {
    flag: '--destination-node',
    value: { shown: 'URL', kind: 'apiUrl' },
    meaning: 'Local development node to redeem on.',
  },
} as const satisfies Record<string, CommandFlag>
