/** Something the venue tells everybody. */
export type Announcement = {
  readonly id: number
  readonly message: string
  readonly url: string | null
  readonly type: string
  readonly updatedAtMs: number
}

/** A maintenance: until it is over when it has no end. */
export type Maintenance = {
  readonly startMs: number
  readonly endMs: number | null
  readonly message: string
}

/** The operator's side of what the venue tells everybody, at a time of the venue's. */
export type NoticeDesk = {
  /** Makes an announcement, and answers its number; null when there are as many as there may be. */
  readonly announce: (
    announcement: Pick<Announcement, 'message' | 'url' | 'type'>,
    atMs: number,
  ) => number | null
  /** Takes an announcement back; false when there is none of that number. */
  readonly retract: (id: number, atMs: number) => boolean
  /** Sets the maintenance; null ends it. */
  readonly maintain: (maintenance: Maintenance | null) => void
}
