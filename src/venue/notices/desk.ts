/** The operator's side of what the venue tells everybody. */
export type NoticeDesk = {
  /** Makes an announcement, and answers its number; null when there are as many as there may be. */
  readonly announce: (announcement: {
    readonly message: string
    readonly url: string | null
    readonly type: string
  }) => number | null
  /** Takes an announcement back; false when there is none of that number. */
  readonly retract: (id: number) => boolean
  /** Sets the maintenance, from now on unless it says when; null ends it. */
  readonly maintain: (
    maintenance: {
      readonly startMs: number | null
      readonly endMs: number | null
      readonly message: string
    } | null,
  ) => void
}
