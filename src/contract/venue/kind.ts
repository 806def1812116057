/** The venue behind a service: simulated or recorded markets, practice on a live market, or a live venue. */
export type VenueKind = 'embedded' | 'paper' | 'live'

/** Whether accounts and money of a venue of this kind, such as `x-prepd-venue` names, are practice. */
export function isPracticeKind(kind: string | null): boolean {
  return kind === 'embedded' || kind === 'paper'
}
