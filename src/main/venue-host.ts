import type { Random } from '../core/ports.ts'
import { startRecording } from '../lab/recording/recorder.ts'
import { liveFeed } from '../live/venue/feed.ts'
import type { SocketWorld } from '../live/venue/socket.ts'
import type { ReadLiveWire } from '../simulator/mirror.ts'
import type { PaperOptions } from '../simulator/paper.ts'
import {
  openVenueService,
  type VenueOptions,
  type VenueOutside,
  type VenueService,
} from '../simulator/service.ts'
import { logFault } from '../simulator/venue.ts'
import { StoreUnusableError } from '../store/connection/errors.ts'
import { venueFilePath } from '../store/connection/world.ts'
import { openVenueFile, takeOverWorld } from '../store/entity-file.ts'
import { passRecords } from '../tapes/write.ts'

/**
 * Opens the embedded venue in this thread, with a separate file next to the gateway's store. Throws StoreUnusableError,
 * StoreNewerError, RangeError for invalid prices, and VenueListenError.
 */
export function openVenueOn(
  options: VenueOptions,
  storePath: string,
  { random, ...outside }: Omit<VenueOutside, 'entities'> & { readonly random: Random },
): VenueService {
  const path = venueFilePath(storePath)
  const wire = options.paper && openLiveWire(options.paper, { ...outside, random })
  takeOverWorld(storePath)
  const entities = openVenueFile(path)
  try {
    const read = wire && { readLiveWire: wire.read }
    const service = openVenueService(options, { ...outside, ...read, entities })
    return {
      ...service,
      refusal: () => service.refusal() ?? entities.damage(),
      close: async () => {
        await service.close()
        wire?.close()
        entities.close()
      },
    }
  } catch (error) {
    wire?.close()
    entities.close()
    // Reports invalid JSON in a record as damage of the file.
    throw error instanceof SyntaxError ? new StoreUnusableError(path, error) : error
  }
}

/** The read-only live feed that a world mirrors. */
function openLiveWire(
  { stream }: PaperOptions,
  world: SocketWorld,
): { readonly read: ReadLiveWire; readonly close: () => void } {
  const feed = liveFeed({ ...world, open: new URL(stream), account: null })
  return {
    close: feed.close,
    read: ({ markets, record, lost }) => {
      const failed = (error: unknown) => logFault(world.log, error)
      const mirror = { lost, nowMs: world.clock.nowMs }
      return startRecording({ feed, writer: passRecords(record), markets, failed, mirror })
    },
  }
}
