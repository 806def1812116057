import type { CommandFlag } from '../command.ts'

/** The flags of the rotations. */
export const ROTATE_FLAGS = {
  finish: { flag: '--finish', meaning: 'Take the key before away.' },
} as const satisfies Record<string, CommandFlag>
