import {
  cutServer,
  cutValkey,
  emptyValkey,
  freezeInstance,
  type Kind,
  killInstance,
  killPrimary,
  lateReplication,
  moveName,
  otherValkey,
  partition,
  promoteStandby,
  putBack,
  restartPrimary,
  returnValkey,
  silenceValkey,
  stepClock,
  stopReplication,
  stopWaiting,
} from './faults.ts'

/** Everything that a schedule may hold, each with its own chance and length. */
export const FAULTS: readonly Kind[] = [
  cutServer,
  cutServer,
  cutValkey,
  cutValkey,
  partition,
  promoteStandby,
  promoteStandby,
  moveName,
  lateReplication,
  stopReplication,
  killPrimary,
  restartPrimary,
  putBack,
  emptyValkey,
  emptyValkey,
  silenceValkey,
  returnValkey,
  stepClock,
  otherValkey,
  stopWaiting,
  killInstance,
  freezeInstance,
]

/** Faults that meet: each with how long after the first it happens, at most. */
export const MEETINGS: readonly (readonly (readonly [number, Kind])[])[] = [
  [
    [0, lateReplication],
    [3000, partition],
    [3000, emptyValkey],
  ],
  [
    [0, stopReplication],
    [2000, emptyValkey],
    [3000, promoteStandby],
  ],
  [
    [0, otherValkey],
    [5000, stopReplication],
    [8000, promoteStandby],
  ],
  [
    [0, partition],
    [6000, emptyValkey],
    [6000, killInstance],
  ],
  [
    [0, putBack],
    [9000, emptyValkey],
    [9000, killInstance],
    [9000, killInstance],
  ],
  [
    [0, promoteStandby],
    [3000, promoteStandby],
    [6000, killInstance],
    [6000, emptyValkey],
  ],
  [
    [0, freezeInstance],
    [2000, stopReplication],
    [3000, promoteStandby],
  ],
  [
    [0, returnValkey],
    [4000, stopReplication],
    [8000, promoteStandby],
  ],
  [
    [0, stopWaiting],
    [2000, cutServer],
  ],
]
