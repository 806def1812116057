/** The result of one check of an installation. */
export type Finding = {
  readonly state: 'ok' | 'warn' | 'fail'
  readonly seen: string
  /** The operator's next step; absent for `ok`. */
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
