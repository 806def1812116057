import {
  ASYNCHRONOUS,
  ahead,
  emptied,
  failover,
  leasedBefore,
  NO_STANDBY,
  parted,
  planFrom,
  SYNCHRONOUS,
  TWINS,
} from './rows.ts'
import {
  copied,
  ended,
  goneBack,
  leftAndForgotten,
  leftBehind,
  newDatabase,
  promotedEmpty,
  putBack,
  restartedAtCopy,
  restoredTwins,
  sleptBesideTwin,
  slowlyLost,
  twinFirst,
  waitedForTooLate,
} from './server-steps.ts'
import type { Plan } from './simulate.ts'
import {
  clockAhead,
  fencedByOperator,
  knowsItSecond,
  oldValkey,
  ownValkeys,
  sleptForMinutes,
  steppedBack,
  stoodStillInALook,
  twoAtOnce,
  twoValkeys,
  usedValkey,
  valkeyAway,
} from './valkey-steps.ts'

const half = (ms: number) => ({ aheadMs: (random: () => number) => (random() < 0.5 ? 0 : ms) })

/** Schedules that are directed at one check of the rule each. */
export const DIRECTED: Readonly<Record<string, Plan>> = {
  'an instance that slept beside a twin': planFrom({ setup: TWINS, steps: sleptBesideTwin }),
  'a copy, the clock of Valkey and callers ahead': planFrom({
    setup: NO_STANDBY,
    steps: [clockAhead, copied(12_000), ended(13_900), putBack(14_000)],
    ...ahead(3000),
  }),
  'two copies, one after the other': planFrom({
    setup: NO_STANDBY,
    steps: [copied(8000), restartedAtCopy, copied(13_000), ended(14_900), putBack(15_000)],
  }),
  'a copy after texts ahead that Valkey does not know': planFrom({
    setup: NO_STANDBY,
    steps: [valkeyAway(12_000, 2500), copied(12_200), ended(15_300), putBack(15_500)],
    ...half(120_000),
  }),
  'a copy while Valkey is away, callers 120 s ahead': planFrom({
    setup: NO_STANDBY,
    steps: [valkeyAway(12_000, 8000), copied(12_500), ended(13_900), putBack(14_000)],
    ...ahead(120_000),
  }),
  'a new database': planFrom({ setup: NO_STANDBY, steps: [newDatabase], isLoss: false }),
  'a standby without a claim': planFrom({ steps: promotedEmpty, isLoss: true }),
  'a restarted server that one instance knows': planFrom({
    setup: NO_STANDBY,
    steps: [knowsItSecond],
    undisturbed: { member: 1, fromMs: 14_500, untilMs: 30_000 },
  }),
  'a failover that the operator fences': planFrom({
    setup: { ...ASYNCHRONOUS, fencing: 'operator' },
    steps: fencedByOperator,
  }),
  'an instance that slept for minutes': planFrom({
    ...{ steps: sleptForMinutes, everyMs: 250, callingMs: 206_000 },
  }),
  'a replica of Valkey beside its primary': planFrom({
    steps: [twoValkeys],
    undisturbed: { member: 1, fromMs: 12_000, untilMs: 30_000 },
  }),
  'a clock of Valkey that steps back': planFrom({ steps: steppedBack }),
  'a server that was left': planFrom({
    steps: leftBehind,
    refused: { member: 0, fromMs: 24_500, untilMs: 42_000 },
  }),
  'a server that was left and forgotten': planFrom({
    steps: leftAndForgotten,
    ...{ everyMs: 2500, callingMs: 520_000 },
    refused: { member: 0, fromMs: 24_500, untilMs: 532_000 },
  }),
  'a server that both instances have left': planFrom({
    steps: goneBack,
    ...{ everyMs: 2500, callingMs: 345_000 },
    refused: { member: 0, fromMs: 20_500, untilMs: 357_000 },
  }),
  'a failover with Valkey emptied and an instance gone, callers 60 s ahead': planFrom({
    steps: [...failover(14_000, 2000), ended(14_000), emptied(14_000)],
    ...ahead(60_000),
  }),
  'a failover with an instance gone, callers 60 s ahead': planFrom({
    steps: [...failover(14_000, 2000), ended(14_000)],
    ...ahead(60_000),
  }),
  'a copy, half of the callers ahead': planFrom({
    setup: NO_STANDBY,
    steps: [copied(12_000), ended(13_900), putBack(14_000)],
    ...half(60_000),
  }),
  'a partition, the clock of an instance and callers ahead': planFrom({
    setup: { ...ASYNCHRONOUS, clockAheadMs: 20_000 },
    steps: [parted(12_000)],
    ...ahead(10_000),
  }),
  'restored twins while Valkey is away': planFrom({
    setup: { ...ASYNCHRONOUS, hosts: 'one' },
    ...{ steps: restoredTwins, everyMs: 1000, callingMs: 335_000 },
  }),
  'Valkeys of their own, the clock of one and callers ahead': planFrom({
    steps: ownValkeys,
    ...ahead(20_000),
  }),
  'a successor whose predecessor holds a lease': planFrom({
    steps: [parted(12_000)],
    refused: { member: 1, fromMs: 12_500, untilMs: 14_500 },
  }),
  'an emptied Valkey, whose clock steps back, with a lease of before': planFrom({
    ...{ steps: leasedBefore(-10_000), everyMs: 40, callingMs: 14_000 },
  }),
  'a twin that stops nobody': planFrom({
    setup: TWINS,
    steps: twinFirst,
    undisturbed: { member: 0, fromMs: 17_000, untilMs: 40_000 },
  }),
  'an old Valkey': planFrom({ steps: oldValkey }),
  'a used Valkey': planFrom({ steps: usedValkey, ...ahead(20_000) }),
  'two Valkeys at once': planFrom({ steps: twoAtOnce, ...ahead(30_000), everyMs: 40 }),
  'a server that is lost slowly, callers 60 s ahead': planFrom({
    steps: slowlyLost,
    ...{ everyMs: 20, callingMs: 24_000, ...ahead(60_000) },
  }),
  'a standby that is waited for too late': planFrom({ steps: waitedForTooLate }),
  'a look that lasts for minutes': planFrom({
    ...{ steps: stoodStillInALook, everyMs: 250, callingMs: 210_000 },
  }),
  'a synchronous failover, and Valkey emptied later': planFrom({
    setup: SYNCHRONOUS,
    steps: [...failover(12_000, 0), emptied(20_000)],
    undisturbed: { member: 0, fromMs: 25_000, untilMs: 40_000 },
  }),
}
