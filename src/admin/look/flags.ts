import type { CommandFlag } from '../command.ts'

/** The flags of `logs explain`. */
export const LOGS_FLAGS = {
  account: {
    flag: '--account',
    value: { shown: 'ID', kind: 'accountId' },
    meaning: 'The account: 0x and 64 hex characters.',
  },
  at: {
    flag: '--at',
    value: { shown: 'TIME', kind: 'instant' },
    meaning: 'When it happened, such as 2026-01-01T12:00:00Z.',
  },
  within: {
    flag: '--within',
    value: { shown: 'SECONDS', kind: 'wholeNumber' },
    meaning: 'How far around that time to look; 60 by default.',
  },
} as const satisfies Record<string, CommandFlag>
