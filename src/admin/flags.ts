import type { CommandFlag } from './command.ts'

/** Whether the venue has to answer too. */
export const READY_FLAG: CommandFlag = {
  flag: '--ready',
  meaning: 'Also ask the venue, as /readyz does.',
}

/** The flags of the commands about what the embedded venue tells everybody. */
export const NOTICE_FLAGS = {
  message: { flag: '--message', value: { shown: 'TEXT' }, meaning: 'What is said.' },
  link: { flag: '--link', value: { shown: 'URL', kind: 'apiUrl' }, meaning: 'More about it.' },
  announcement: {
    flag: '--announcement',
    value: { shown: 'NUMBER', kind: 'wholeNumber' },
    meaning: 'The number it was given.',
  },
  start: {
    flag: '--start',
    value: { shown: 'MS', kind: 'wholeNumber' },
    meaning: "When it begins, in milliseconds of the venue's time; otherwise now.",
  },
  end: {
    flag: '--end',
    value: { shown: 'MS', kind: 'wholeNumber' },
    meaning: 'When it ends; otherwise once it is said to be over.',
  },
  over: { flag: '--over', meaning: 'It is over.' },
} as const satisfies Record<string, CommandFlag>
