import { hostname } from 'node:os'
import type { VenueKind } from '../contract/venue/kind.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { defaultOnFailure, detached } from '../core/loop/guarded.ts'
import { lossReason } from '../core/loss.ts'
import type { World } from '../core/ports.ts'
import { readBounded } from '../core/settings/files.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { startProbe } from '../gateway/ready.ts'
import { readNotifyConfig } from '../operator/notify/config.ts'
import type { Judge } from '../operator/notify/judge.ts'
import { createNotifier, startNotifier } from '../operator/notify/notifier.ts'
import { noteStart } from '../operator/notify/starts.ts'
import { openNoticeFile } from '../store/entity-file.ts'
import type { OpenBackups } from './backups.ts'
import type { Products } from './products.ts'
import { starting } from './start-error.ts'
import { instanceName, type OpenStore } from './store.ts'

type NoticeOptions = Gateway &
  Pick<Products, 'signerTrouble'> &
  Pick<OpenBackups, 'backupTrouble'> & {
    /** The store's file, or `:memory:`. */
    readonly path: string
    readonly venue: { readonly kind: VenueKind }
    readonly judge: Judge
    readonly shared: OpenStore['shared']
    readonly isStopping: () => boolean
  }

/**
 * Starts notices if targets are configured. Starts readiness checks if metrics or notices need readiness. Returns a
 * function that stops both. Throws StartError for an invalid file of targets.
 */
export async function startNotices(
  settings: Settings,
  world: World,
  parts: NoticeOptions,
): Promise<() => void> {
  registerTroubles(parts)
  const { notify, opsListen, dataDir, serviceName: service } = settings
  if (notify === null && !opsListen) return () => undefined
  let missing: string | null = null
  const checked = (found: string | null) => {
    missing = found
  }
  const probed = { ...parts, venue: parts.venue.kind }
  if (notify === null) return startProbe(probed)
  const config = await starting('NOTIFY', notify, () => readNotifyConfig(readBounded(notify)))
  const file = parts.path === ':memory:' ? null : dataDir
  const opened = await starting('DATA_DIR', dataDir, () => openNoticeFile(file))
  let isClosed = false
  // Drops commits after the stop, so that a message in progress stays stored. The next start sends the message again,
  // with the same id.
  const commit: typeof opened.commit = (changes) => {
    if (!isClosed) opened.commit(changes)
  }
  const store = { ...opened, commit }
  const startedMs = world.clock.nowMs()
  const starts = noteStart(store, startedMs)
  parts.judge.explain('process', () => starts.trouble(world.clock.nowMs()))
  const { version } = BUILD_FACTS
  const stopProbe = startProbe({ ...probed, checked })
  const notifier = createNotifier({
    ...world,
    ...{ config, store, service, version },
    ...{ instance: instanceName(settings), host: hostname() },
    meter: parts.meter,
    judge: parts.judge,
    leases: parts.shared?.noticeLeases ?? null,
    missing: () => missing,
    send: (request) => fetch(request),
  })
  // Checks at once, because in a crash loop this process may end before its first timed check. If it also ends before
  // the delivery, the next start delivers the stored notice.
  if (starts.trouble(startedMs) !== null) {
    await notifier.check().catch(defaultOnFailure('process', undefined))
    detached('process', notifier.deliver())
  }
  const stop = startNotifier(notifier)
  return () => {
    stop()
    stopProbe()
    starts.stopped()
    isClosed = true
    opened.close()
  }
}

/** Gives the judge the functions that report troubles. */
function registerTroubles({ judge, backupTrouble, signerTrouble, controls }: NoticeOptions): void {
  judge.explain('backup', backupTrouble)
  judge.explain('store', () => lossReason(controls.loss()))
  judge.explain('voucher_signer', signerTrouble)
}
