import { commandWorld } from '../../src/main/command-world.ts'

/** The world of commands as the program has it: real time, real chance, the network and the disk. */
export const REAL_WORLD = commandWorld(
  {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    monotonicMs: () => performance.now(),
  },
  {},
)
