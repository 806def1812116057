import { admit } from '../../limits/admission.ts'
import { assertSameSite, type SiteRules } from '../http/same-site.ts'
import type { Entrance } from '../verbs.ts'

type DoorParts = Omit<Entrance, 'controls'> & { readonly site: SiteRules }

/** Before the key is looked at, so that a page in somebody's browser or a guesser of keys learns nothing and is counted. */
export async function assertAdmitted(
  { limiter, callers, site }: DoorParts,
  request: Request,
): Promise<void> {
  assertSameSite(request, site)
  await admit(limiter, 'admin', callers.of(request).limitKey)
}
