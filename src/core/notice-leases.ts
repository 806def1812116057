/** Leases by which one of several instances notifies the operator of a condition that all of them see. */
export type NoticeLeases = {
  /** Whether this instance notifies: true unless another instance has taken the condition within the last half minute. */
  readonly take: (condition: string) => Promise<boolean>
}
