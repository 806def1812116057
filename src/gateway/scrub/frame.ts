/**
 * A live message that may be sent: scrubbed text. A private member, and the export as a type only, ensure that only
 * this file can create one.
 */
export type Frame = ScrubbedText

/** Makes a frame of scrubbed text. Only for src/gateway/scrub/scrub.ts. */
export function frameOfScrubbed(text: string): Frame {
  return new ScrubbedText(text)
}

class ScrubbedText {
  readonly text: string
  #event: Uint8Array<ArrayBuffer> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The message as a server-sent event, built once. `id`: the message's id, which must be the same at every call. */
  event(id: string): Uint8Array<ArrayBuffer> {
    this.#event ??= eventBytes(this.text, id)
    return this.#event
  }

  /**
   * The message as a server-sent event with this id. Null gives an event without an id, which keeps the stream's last
   * event id.
   */
  eventAt(id: string | null): Uint8Array<ArrayBuffer> {
    return eventBytes(this.text, id)
  }
}

// JSON text contains no line breaks, so it fits into one `data:` line.
function eventBytes(text: string, id: string | null): Uint8Array<ArrayBuffer> {
  const place = id === null ? '' : `id: ${id}\n`
  return new TextEncoder().encode(`${place}data: ${text}\n\n`)
}
