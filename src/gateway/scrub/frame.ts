/**
 * A live message that may be sent: text that has been through the scrub. The class has a private part and is exported
 * as a type only, so that only this file can make one.
 */
export type Frame = ScrubbedText

/** A frame of text that the scrub has finished with. For src/gateway/scrub/scrub.ts alone. */
export function frameOfScrubbed(text: string): Frame {
  return new ScrubbedText(text)
}

class ScrubbedText {
  readonly text: string
  #event: Uint8Array<ArrayBuffer> | undefined

  constructor(text: string) {
    this.text = text
  }

  /** The message as a server-sent event, made once; `id` is that of the message, the same at every call. */
  event(id: string): Uint8Array<ArrayBuffer> {
    this.#event ??= eventBytes(this.text, id)
    return this.#event
  }

  /** The message as a server-sent event that leaves the stream's place as it is, or sets it to another. */
  eventAt(id: string | null): Uint8Array<ArrayBuffer> {
    return eventBytes(this.text, id)
  }
}

// JSON has no line breaks of its own, so one `data:` line carries it whole.
function eventBytes(text: string, id: string | null): Uint8Array<ArrayBuffer> {
  const place = id === null ? '' : `id: ${id}\n`
  return new TextEncoder().encode(`${place}data: ${text}\n\n`)
}
