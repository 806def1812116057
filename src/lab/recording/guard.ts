import { TapeError } from '../../tapes/records.ts'
import { MalformedMessage } from '../../upstream/wire/live-messages.ts'

/** The parts of a recording that a faulty message affects. */
type GuardedRecording = {
  readonly failed: (error: unknown) => void
  readonly counts: { malformed: number }
  readonly isStopped: boolean
}

/** Runs `take` for a message. An unreadable message causes `repair`; a tape that cannot be written ends the recording. */
export function guardRecording(
  recording: GuardedRecording,
  take: () => void,
  repair: () => void,
): void {
  if (recording.isStopped) return
  try {
    take()
  } catch (error) {
    if (!isUnreadable(error)) {
      recording.failed(error)
      return
    }
    recording.counts.malformed += 1
    repair()
  }
}

function isUnreadable(error: unknown): boolean {
  return (
    error instanceof MalformedMessage || error instanceof RangeError || error instanceof TapeError
  )
}
