import type { CommandFlag } from '../command.ts'

/** Which flags each command takes. */
export const VOUCHER_FLAGS = {
  rows: {
    flag: '--rows',
    value: { shown: 'COUNT', kind: 'wholeNumber' },
    meaning: 'How many lines at most, 1 to 500; 50 when it is not given.',
  },
  deposit: {
    flag: '--deposit',
    value: { shown: 'KEY', kind: 'accountId' },
    meaning: 'The deposit: 0x and 64 hex characters.',
  },
} as const satisfies Record<string, CommandFlag>
