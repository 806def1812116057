import { computed } from '@preact/signals'
import { DAY_MS, MINUTE_MS } from '../../../contract/durations.ts'
import { memberRows, memberText } from '../../common/exact-json.ts'
import { keptNames } from '../../common/kept.ts'
import { nowMs } from '../../common/world.ts'
import { followTopic, pathTopic } from '../feed/service.ts'
import { isSettled } from './state.ts'

/** Maximum age of a shown announcement, and maximum length of its text. */
const SHOWN_MS = 14 * DAY_MS
const TEXT_MAX_CHARS = 240
/** Maximum number of dismissed announcements that this browser remembers. */
const DISMISSED_MAX = 50

const reading = followTopic(() =>
  isSettled.value ? pathTopic('/api/prep/op/platform.announcementsV2', 5 * MINUTE_MS) : null,
)

const dismissed = keptNames('announcements')

/** Recent announcements of the venue that the user has not dismissed, the latest first. */
export const announcements = computed(() =>
  memberRows(reading.value.data, 'rows')
    .filter((row) => Number(memberText(row, 'updated_time')) > nowMs() - SHOWN_MS)
    .map((row) => ({
      id: memberText(row, 'announcement_id'),
      text: memberText(row, 'message').slice(0, TEXT_MAX_CHARS),
      /** A link to details; null without a safe web address. */
      url: webAddress(memberText(row, 'url')),
    }))
    .filter(({ id, text }) => text !== '' && !dismissed.value.has(id)),
)

/** Hides an announcement in this browser from now on. */
export function dismissAnnouncement(id: string): void {
  dismissed.value = new Set([...dismissed.peek(), id].slice(-DISMISSED_MAX))
}

/** The text as a link that is safe to open; null unless it is a valid `https` address, because the text is the venue's. */
function webAddress(text: string): string | null {
  return /^https:\/\//.test(text) && URL.canParse(text) ? text : null
}
