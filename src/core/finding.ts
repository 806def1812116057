/** What one check of an installation saw. */
export type Finding = {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly seen: string
  /** What to do about it; of a finding that is not ok. */
  readonly remedy?: string
}

export function ok(seen: string): Finding {
  return { state: 'ok', seen }
}

export function warn(seen: string, remedy: string): Finding {
  return { state: 'warn', seen, remedy }
}

export function fail(seen: string, remedy: string): Finding {
  return { state: 'fail', seen, remedy }
}
