/** Which instance of several notifies the operator of a condition that all of them see. */
export type NoticeLeases = {
  /** Whether this instance notifies: it does while no other has taken the condition within half a minute. */
  readonly take: (condition: string) => Promise<boolean>
}
