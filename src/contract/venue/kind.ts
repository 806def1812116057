/**
 * The venue behind a service: simulated or recorded markets (`embedded`), practice on a live market (`paper`), or a
 * live venue.
 */
export type VenueKind = 'embedded' | 'paper' | 'live'

/** Whether a venue of this kind (a value of `x-prepd-venue`) has practice accounts and practice money. */
export function isPracticeKind(kind: string | null): boolean {
  return kind === 'embedded' || kind === 'paper'
}
