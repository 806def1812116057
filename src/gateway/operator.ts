/** Who runs this deployment, as the venue and the callers know them. */
export type Operator = {
  readonly brokerId: string
  readonly serviceName: string
  /** Whether the rewards module is on. */
  readonly points: boolean
  /** Null where the operator has set none: nothing is then signed. */
  readonly venueKey: VenueKey | null
}

/** The operator's own account at the venue and its key, which signs what only the operator may ask. */
export type VenueKey = { readonly accountId: string; readonly secret: Uint8Array }
