import { StoreUnusableError } from '../store/connection/trouble.ts'
import { venuePathOf } from '../store/connection/world.ts'
import { openVenueFile, takeOverWorld } from '../store/venue-file.ts'
import {
  openVenueService,
  type VenueOptions,
  type VenueOutside,
  type VenueService,
} from '../venue/service.ts'

/**
 * Opens the embedded venue in this thread, on its own file beside the gateway's store. Throws StoreUnusableError,
 * StoreNewerError, RangeError for prices, and VenueListenError.
 */
export function openVenueOn(
  options: VenueOptions,
  storePath: string,
  outside: Omit<VenueOutside, 'entities'>,
): VenueService {
  const path = venuePathOf(storePath)
  takeOverWorld(storePath)
  const entities = openVenueFile(path)
  try {
    const service = openVenueService(options, { ...outside, entities })
    return {
      ...service,
      refusal: () => service.refusal() ?? entities.damage(),
      close: async () => {
        await service.close()
        entities.close()
      },
    }
  } catch (error) {
    entities.close()
    // A record that is no JSON any more is the file's fault, and says so.
    throw error instanceof SyntaxError ? new StoreUnusableError(path, error) : error
  }
}
