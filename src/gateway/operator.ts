/** Who runs this deployment, as the venue and the callers know them. */
export type Operator = {
  readonly brokerId: string
  readonly serviceName: string
  /** Whether the rewards module is on. */
  readonly points: boolean
}
