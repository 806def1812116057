/** Leases that decide which of several instances notifies the operator of a condition that all of them see. */
export type NoticeLeases = {
  /** Whether this instance notifies: true unless a different instance has taken the condition within half a minute. */
  readonly take: (condition: string) => Promise<boolean>
}
